import { withoutEndSlashes } from "./path.ts";

/** Files that declare or lock a project's dependencies, by name. */
const NAMES: readonly RegExp[] = [
  // JavaScript: npm, pnpm, yarn, bun, deno
  /^package\.(?:json|json5|yaml)$/,
  /^(?:package-lock|npm-shrinkwrap)\.json$/,
  /^pnpm-(?:lock|workspace)\.yaml$/,
  /^yarn\.lock$/,
  /^\.(?:npmrc|yarnrc|yarnrc\.yml|pnpmfile\.[cm]?js|pnp\.[cm]?js)$/,
  /^pnpmfile\.js$/,
  /^bun\.lockb?$/,
  /^bunfig\.toml$/,
  /^deno\.(?:json|jsonc|lock)$/,
  /^import_map\.json$/,
  /^(?:bower|jsr)\.json$/,
  // Python: pip, pipenv, poetry, uv, pdm, conda
  /^[\w.-]*(?:requirements|constraints)[\w.-]*\.(?:txt|in|lock)$/,
  /^Pipfile(?:\.lock)?$/,
  /^pyproject\.toml$/,
  /^pylock(?:\.[\w-]+)?\.toml$/,
  /^(?:uv|poetry|pdm|pixi)\.(?:lock|toml)$/,
  /^pip\.(?:conf|ini)$/,
  /^setup\.(?:py|cfg)$/,
  /^environment(?:-[\w-]+)?\.ya?ml$/,
  /^(?:[\w-]+\.)?conda-lock\.ya?ml$/,
  // Rust, Go, Ruby, PHP
  /^Cargo\.(?:toml|lock)$/,
  /^rust-toolchain(?:\.toml)?$/,
  /^go\.(?:mod|sum|work|work\.sum)$/,
  /^Gemfile(?:\.lock)?$/,
  /^gems\.(?:rb|locked|rb\.lock)$/,
  /\.gemspec$/,
  /^composer\.(?:json|lock)$/,
  /^symfony\.lock$/,
  // The JVM: Maven, Gradle, sbt, Ivy, Clojure
  /^pom\.xml$/,
  /^ivy(?:settings)?\.xml$/,
  /\.gradle(?:\.kts)?$/,
  /^(?:buildscript-)?gradle\.lockfile$/,
  /^gradle\.properties$/,
  /^(?:gradle|maven)-wrapper\.(?:properties|jar)$/,
  /^verification-metadata\.xml$/,
  /\.versions\.toml$/,
  /\.sbt$/,
  /^(?:deps\.edn|bb\.edn|project\.clj)$/,
  // .NET
  /\.(?:cs|fs|vb)proj$/,
  /\.nuspec$/,
  /^packages\.(?:config|lock\.json)$/,
  /^Directory\.(?:Packages|Build)\.(?:props|targets)$/,
  /^nuget\.config$/,
  /^(?:global|dotnet-tools)\.json$/,
  /^paket\.(?:dependencies|lock|references)$/,
  // Swift and Apple, Dart, Elixir and Erlang
  /^Package(?:@swift-[\d.]+)?\.(?:swift|resolved)$/,
  /^Podfile(?:\.lock)?$/,
  /^Cartfile(?:\.private|\.resolved)?$/,
  /^Mintfile$/,
  /^pubspec(?:_overrides)?\.(?:yaml|lock)$/,
  /^mix\.(?:exs|lock)$/,
  /^rebar\.(?:config|lock)$/,
  // C and C++, Haskell, OCaml, Crystal, Elm, Julia, Lua, Nim, Perl, R, Zig
  /^conanfile\.(?:txt|py)$/,
  /^conan\.lock$/,
  /^vcpkg(?:-configuration)?\.json$/,
  /\.(?:cabal|opam|nimble|rockspec)$/,
  /^(?:cabal\.project(?:\.freeze)?|stack\.yaml(?:\.lock)?|opam|dune-project)$/,
  /^shard\.(?:yml|lock)$/,
  /^elm\.json$/,
  /^(?:Project|Manifest)\.toml$/,
  /^cpanfile(?:\.snapshot)?$/,
  /^renv\.lock$/,
  /^build\.zig\.zon$/,
  // Systems and images: nix, containers, brew, tool versions, Bazel, Helm, Terraform, git
  /^(?:flake\.(?:nix|lock)|(?:default|shell)\.nix)$/,
  /^devbox\.(?:json|lock)$/,
  /^(?:Dockerfile|Containerfile)(?:\.[\w.-]+)?$/,
  /\.(?:Dockerfile|Containerfile)$/,
  /^(?:docker-)?compose(?:\.[\w-]+)?\.ya?ml$/,
  /^Brewfile(?:\.lock\.json)?$/,
  /^\.?(?:tool-versions|mise\.toml)$/,
  /^\.(?:nvmrc|node-version|python-version|ruby-version|java-version)$/,
  /^(?:MODULE\.bazel(?:\.lock)?|WORKSPACE(?:\.bazel)?)$/,
  /^Chart\.(?:yaml|lock)$/,
  /^\.terraform\.lock\.hcl$/,
  /^\.gitmodules$/,
  /^\.pre-commit-config\.yaml$/,
];

/** Paths that count only in their folder. */
const PATHS =
  /(?:^|\/)(?:requirements\/[^/]+\.(?:txt|in)|\.mvn\/extensions\.xml|\.cargo\/config(?:\.toml)?|\.bundle\/config|(?:nix|npins)\/sources\.json)$/i;

/** A single expression, because a command may name thousands of files. Some file systems ignore case. */
const ANY_NAME = new RegExp(NAMES.map(({ source }) => source).join("|"), "i");
/** The longest name that file systems allow. */
const MAX_NAME_LENGTH = 255;

export const isManifest = (path: string): boolean => {
  const whole = withoutEndSlashes(path);
  const name = whole.slice(whole.lastIndexOf("/") + 1);
  return name.length <= MAX_NAME_LENGTH && (ANY_NAME.test(name) || PATHS.test(whole));
};
