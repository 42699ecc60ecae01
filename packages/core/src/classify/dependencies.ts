import { entryOf } from "./entry-of.ts";
import type { Program } from "./unwrap.ts";

/** For each manager, the verbs that add, remove or change packages. `*`: it does nothing else. */
const MANAGERS: Readonly<Record<string, readonly string[]>> = {
  npm: "i in ins inst insta instal install isnt isnta isntal isntall install-test it install-ci-test cit ci clean-install ic add uninstall un unlink remove rm r up update upgrade udpate link ln dedupe ddp prune rebuild shrinkwrap version pkg install-clean create".split(
    " ",
  ),
  pnpm: "i install add remove rm uninstall un update up upgrade link ln unlink dedupe prune import patch fetch".split(" "),
  yarn: "install add remove upgrade upgrade-interactive up link unlink dedupe import set global autoclean".split(" "),
  bun: "i install a add rm remove update link unlink pm".split(" "),
  deno: "add install i remove rm uninstall outdated".split(" "),
  jsr: ["add", "remove", "install"],
  bower: ["install", "uninstall", "update"],
  pip: ["install", "uninstall", "download", "wheel"],
  pipx: ["install", "uninstall", "upgrade", "upgrade-all", "inject", "reinstall"],
  easy_install: ["*"],
  uv: ["add", "remove", "sync", "lock", "tool", "venv", "init"],
  poetry: ["add", "remove", "update", "install", "lock", "sync", "self", "init"],
  pdm: ["add", "remove", "update", "install", "lock", "sync", "init"],
  pipenv: ["install", "uninstall", "update", "lock", "sync", "upgrade"],
  rye: ["add", "remove", "sync", "lock", "install"],
  conda: ["install", "remove", "uninstall", "update", "upgrade", "create", "env"],
  mamba: ["install", "remove", "uninstall", "update", "upgrade", "create", "env"],
  micromamba: ["install", "remove", "update", "create", "env"],
  cargo: ["add", "remove", "rm", "install", "uninstall", "update", "vendor", "generate-lockfile", "binstall"],
  rustup: ["install", "update", "toolchain", "component", "target", "default"],
  go: ["get", "install"],
  gem: ["install", "i", "uninstall", "update"],
  bundle: ["install", "add", "update", "remove", "lock", "cache", "init"],
  composer: ["require", "req", "r", "remove", "rm", "update", "u", "upgrade", "install", "i", "reinstall", "global", "bump"],
  apt: ["install", "remove", "purge", "upgrade", "full-upgrade", "dist-upgrade", "autoremove", "update", "build-dep", "reinstall"],
  aptitude: ["install", "remove", "purge", "upgrade", "full-upgrade", "safe-upgrade", "update"],
  dpkg: ["-i", "--install", "-r", "--remove", "-P", "--purge"],
  dnf: ["install", "remove", "erase", "update", "upgrade", "reinstall", "autoremove", "group", "groupinstall"],
  rpm: ["-i", "-U", "-e", "-F", "-ivh", "-Uvh", "--install", "--upgrade", "--erase"],
  zypper: ["install", "in", "remove", "rm", "update", "up", "dup"],
  apk: ["add", "del", "upgrade", "update", "fix"],
  pacman: [],
  brew: ["install", "uninstall", "remove", "rm", "upgrade", "update", "reinstall", "tap", "untap", "bundle", "link", "unlink", "cask"],
  port: ["install", "uninstall", "upgrade", "selfupdate"],
  snap: ["install", "remove", "refresh"],
  flatpak: ["install", "uninstall", "update"],
  choco: ["install", "uninstall", "upgrade"],
  winget: ["install", "uninstall", "upgrade", "import"],
  scoop: ["install", "uninstall", "update"],
  "nix-env": ["-i", "-iA", "--install", "-e", "-u", "--uninstall", "--upgrade"],
  nix: ["profile"],
  dotnet: ["add", "remove", "restore", "tool", "nuget"],
  nuget: ["install", "restore", "update", "add"],
  mix: ["deps.get", "deps.update", "deps.clean", "deps.unlock", "local.hex", "archive.install"],
  dart: ["pub"],
  flutter: ["pub"],
  pub: ["add", "remove", "get", "upgrade", "downgrade"],
  pod: ["install", "update", "deintegrate"],
  carthage: ["update", "bootstrap"],
  swift: ["package"],
  luarocks: ["install", "remove"],
  cpan: ["*"],
  cpanm: ["*"],
  opam: ["install", "remove", "update", "upgrade", "pin", "switch"],
  cabal: ["install", "update", "freeze"],
  stack: ["install", "update", "upgrade"],
  conan: ["install", "create"],
  vcpkg: ["install", "remove", "upgrade", "add"],
  corepack: ["enable", "disable", "prepare", "use", "up", "install", "pack"],
  volta: ["install", "uninstall", "pin"],
  nvm: ["install", "uninstall"],
  fnm: ["install", "uninstall"],
  asdf: ["install", "uninstall", "plugin"],
  mise: ["install", "use", "uninstall", "upgrade", "i", "u"],
  rvm: ["install", "remove"],
  rbenv: ["install", "uninstall"],
  pyenv: ["install", "uninstall"],
  sdk: ["install", "uninstall", "upgrade"],
  ncu: ["-u", "--upgrade"],
  "npm-check-updates": ["-u", "--upgrade"],
  "pip-compile": ["*"],
  "pip-sync": ["*"],
  bundler: ["install", "add", "update", "remove"],
  expo: ["install"],
  ng: ["add", "update"],
  nx: ["add", "migrate"],
  lerna: ["add", "bootstrap"],
  rush: ["add", "remove", "update", "install", "upgrade-interactive"],
  meteor: ["add", "remove", "update"],
  shadcn: ["add", "init"],
  ni: ["*"],
  nun: ["*"],
  nup: ["*"],
  nci: ["*"],
  vlt: ["install", "i", "add", "uninstall", "update"],
  jspm: ["install", "uninstall", "update"],
  pecl: ["install", "uninstall", "upgrade"],
  pear: ["install", "uninstall", "upgrade"],
  shards: ["install", "update"],
  nimble: ["install", "uninstall", "add"],
  zig: ["fetch"],
  dub: ["add", "remove", "upgrade", "fetch"],
  pixi: ["add", "remove", "install", "update", "upgrade", "init", "global"],
  "conda-lock": ["*"],
  spack: ["install", "add", "uninstall"],
  guix: ["install", "remove", "upgrade"],
  emerge: ["*"],
  "xbps-install": ["*"],
  "xbps-remove": ["*"],
  eopkg: ["install", "it", "remove", "rm", "upgrade", "up"],
  pkg: ["install", "add", "delete", "remove", "upgrade", "update", "autoremove"],
  pkgin: ["install", "in", "remove", "rm", "upgrade", "ug"],
  mas: ["install", "purchase", "upgrade", "uninstall"],
  paket: ["add", "remove", "update", "install"],
  cs: ["install", "update", "uninstall"],
  coursier: ["install", "update", "uninstall"],
  lein: ["deps"],
  sbt: ["update", "evicted"],
  raco: ["pkg"],
  mvn: ["dependency:get", "versions:use-latest-versions", "versions:use-latest-releases", "versions:update-properties", "versions:set"],
  gradle: ["--write-locks", "--update-locks", "--write-verification-metadata"],
};
const SAME: Readonly<Record<string, string>> = {
  "apt-get": "apt",
  yum: "dnf",
  microdnf: "dnf",
  yay: "pacman",
  paru: "pacman",
  linuxbrew: "brew",
  pnpx: "",
  cnpm: "npm",
  tnpm: "npm",
  pnpm9: "pnpm",
  gradlew: "gradle",
  mvnw: "mvn",
};

/** Verbs after which no other verb follows; the rest are their arguments. */
const RUNNING = new Set(
  "run run-script rum urn test t start stop restart exec x dlx ls list ll la view info show v config c get set build b check publish pack outdated audit why search s help doctor login logout whoami ping query fund docs repo bugs root prefix bin fmt clippy doc tree metadata bench clean vet env tool freeze inspect cache debug hash index export publish version".split(
    " ",
  ),
);

export const isManager = (name: string): boolean => entryOf(MANAGERS, managerOf(name)) !== undefined;

/** Verbs that only read, although the word before them may change something. */
const LOOKING: readonly RegExp[] = [
  /^npm pkg get\b/,
  /^npm version$/,
  /^bun pm (?:ls|cache|hash|bin)\b/,
  /^uv tool (?:list|dir|run)\b/,
  /^conda env (?:list|export)\b/,
  /^nix profile (?:list|history|diff-closures)\b/,
  /^dotnet (?:tool (?:list|search|run)|nuget (?:list|locals)|add reference|remove reference)\b/,
  /^(?:dart|flutter) pub (?:deps|outdated|run|global run)\b/,
  /^swift package (?:describe|show-dependencies|dump-package)\b/,
  /^rustup (?:component|toolchain|target) list\b/,
  /^yarn global (?:bin|dir|list)\b/,
  /^composer global (?:show|exec)\b/,
  /^opam (?:pin|switch) (?:list|show)?$/,
];

/** The words that add, remove or change a package; undefined if there are none. */
export function dependencyChange({ name, args, code }: Program): string | undefined {
  if (code) return code.installs ? args.join(" ") : undefined;
  const manager = managerOf(name);
  const file = args
    .find((arg) => !arg.startsWith("-"))
    ?.split("/")
    .at(-1);
  if (manager === "php" && /^composer(?:\.phar)?$/.test(file ?? ""))
    return dependencyChange({ name: "composer", args: args.slice(1), isKnown: true, writes: [], folder: "." });
  if (manager === "perl" && args.some((arg) => arg.startsWith("-MCPAN"))) return said(name, args);
  if (manager === "python" && file === "setup.py" && args.some((arg) => /^(?:install|develop)$/.test(arg))) return said(name, args);
  if (manager === "python" || manager === "py") {
    const at = args.findIndex((arg) => arg === "-m" || /^-m\S/.test(arg));
    const named = at < 0 ? undefined : args[at] === "-m" ? args[at + 1] : args[at]?.slice(2);
    if (named === undefined) return undefined;
    if (named === "ensurepip") return said(name, args);
    const rest = args.slice(args[at] === "-m" ? at + 2 : at + 1);
    return dependencyChange({ name: named, args: rest, isKnown: true, writes: [], folder: "." });
  }
  if (manager === "pacman")
    return args.some((arg) => /^-[a-zA-Z]*[SRU]/.test(arg) && !/^-S[si]+$/.test(arg)) ? said(name, args) : undefined;
  const verbs = entryOf(MANAGERS, manager);
  if (!verbs) return undefined;
  if (verbs.includes("*")) return said(name, args);
  // Options with values may precede the verb (npm --prefix web install), so every word counts until one that is no verb.
  const words = args.filter(
    (arg, at) =>
      !arg.startsWith("-") && !/^--?(?:prefix|C|dir|cwd|filter|workspace|w|manifest-path|directory|project|F|D)$/.test(args[at - 1] ?? ""),
  );
  const [first = "", second = ""] = words;
  if (LOOKING.some((pattern) => pattern.test(`${manager} ${words.join(" ")}`.trim()))) return undefined;
  if (manager === "yarn" && words.length === 0 && !args.some((arg) => /^(?:-v|--version|-h|--help)$/.test(arg))) return said(name, args);
  if (manager === "go" && first === "mod") return /^(?:tidy|edit|download|init|vendor)$/.test(second) ? said(name, args) : undefined;
  if (manager === "go" && first === "work") return said(name, args);
  if (manager === "uv" && first === "pip") return /^(?:install|uninstall|sync|compile)$/.test(second) ? said(name, args) : undefined;
  if (manager === "npm" && first === "audit") return words.includes("fix") ? said(name, args) : undefined;
  if (manager === "npm" && first === "init") return said(name, args);
  if (
    (manager === "bundle" || manager === "bundler") &&
    words.length === 0 &&
    !args.some((arg) => /^(?:-v|--version|-h|--help)$/.test(arg))
  )
    return said(name, args);
  if (verbs.includes(first) || verbs.includes(verbBehindValues(args, verbs))) return said(name, args);
  if (manager === "yarn" && /^workspaces?$/.test(first))
    return words.slice(1).some((word) => verbs.includes(word)) ? said(name, args) : undefined;
  return verbs.some((verb) => verb.startsWith("-") && args.includes(verb)) ? said(name, args) : undefined;
}

/** Options may take a value (npm --registry URL install), so the word after an option is skipped unless it is the verb. */
function verbBehindValues(args: readonly string[], verbs: readonly string[]): string {
  for (const [at, arg] of args.entries()) {
    if (arg.startsWith("-") || arg.startsWith("+")) continue;
    if (verbs.includes(arg)) return arg;
    if (RUNNING.has(arg) || !(args[at - 1] ?? "").startsWith("-")) return "";
  }
  return "";
}

/** pip3, pip3.12 and python3.11 are the same programs as pip and python. */
function managerOf(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/^(pip|python|pypy|easy_install|gem|bundle|composer|conda)[-\d.]+(?:\.phar)?$/, "$1")
    .replace(/\.phar$/, "");
  return entryOf(SAME, plain) ?? plain;
}

const said = (name: string, args: readonly string[]): string => [name, ...args].join(" ").trim();
