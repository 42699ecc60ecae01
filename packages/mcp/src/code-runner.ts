import { basename } from "node:path";

/** Programs that choose the code they run by their working folder: a package, a target, a module. */
const RUNNERS = new Set(
  (
    "npx npx-cli.js npm npm-cli.js pnpm pnpx pnpm.cjs yarn yarnpkg yarn.js bun bunx deno uv uvx pip pipx poetry pdm hatch rye pixi conda " +
    "make gmake just task rake bundle mix cargo go gradle gradlew mvn mvnw composer dotnet docker-compose podman-compose nx turbo nodemon " +
    "pipenv tox nox invoke inv fab uvicorn gunicorn hypercorn flask celery flutter swift zig bazel ninja sbt lein clj clojure gleam dune " +
    "cabal stack nix nix-shell devbox direnv mise asdf terraform pre-commit"
  ).split(" "),
);
/** Programs that start another one, named in their arguments. */
const STARTERS = new Set(
  "env sh bash dash zsh ksh fish cmd powershell pwsh nohup nice timeout time setsid stdbuf sudo doas xargs node nodejs".split(" "),
);
/** Programs that do so with one of these words. */
const BY_WORD: ReadonlyMap<string, RegExp> = new Map(
  ["docker", "podman", "nerdctl"].map((name) => [name, /^(?:compose|build|buildx|bake)$/] as const),
);
const PYTHON = /^(?:python|pypy)[\d.]*$/;

const INTERPRETERS = /^(?:node|nodejs|bun|deno|tsx|ts-node|(?:python|pypy)[\d.]*|ruby|php|perl|lua|java)$/;

/** Does it run a folder's content when given the folder? */
export const isInterpreter = (command: string): boolean => INTERPRETERS.test(nameOf(command));

/** `/usr/bin/npx` → `npx`, `NPX.CMD` → `npx`. */
const nameOf = (program: string): string =>
  basename(program.replaceAll("\\", "/"))
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat|com)$/, "");

/** Does this command, or one that it starts, load code from its folder? */
export function takesCodeFromFolder(command: string, args: readonly string[]): boolean {
  const name = nameOf(command);
  if (RUNNERS.has(name)) return true;
  if (args.some((arg) => BY_WORD.get(name)?.test(arg))) return true;
  const isModule = (word: string) => /^-[a-zA-Z]*[mc]/.test(word);
  if (PYTHON.test(name)) return args.some(isModule);
  if (!STARTERS.has(name)) return false;
  const words = args.flatMap(wordsIn);
  return (
    words.some((word) => RUNNERS.has(nameOf(word)) || words.some((other) => BY_WORD.get(nameOf(word))?.test(other))) ||
    (words.some((word) => PYTHON.test(nameOf(word))) && words.some(isModule))
  );
}

/** The words of an argument, which may be a whole command line or `--name=value`. */
export const wordsIn = (text: string): readonly string[] => text.split(/[\s"'`;|&<>(){}=,]+|:(?=\/)/).filter((word) => word !== "");

/** The runner's own arguments, up to the package, script or target to run; those of the server follow. */
export function ownArgs(args: readonly string[]): readonly string[] {
  const SUBCOMMANDS = /^(?:run|exec|dlx|x|tool|task|start|create)$/;
  const TAKES_PLACE =
    /^(?:-C|-p|-f|--?(?:directory|prefix|cwd|dir|project|package|from|with|with-editable|with-requirements|config|file|script))$/;
  const own: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    own.push(arg);
    const next = args[at + 1];
    if (TAKES_PLACE.test(arg) && next !== undefined) own.push(args[(at += 1)] ?? "");
    else if (!arg.startsWith("-") && !SUBCOMMANDS.test(arg)) break;
  }
  return own;
}
