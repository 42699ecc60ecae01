import { basename } from "node:path";

/** Programs that choose the code they run by what is in the folder they are started in: a package, a target, a module. */
const RUNNERS = new Set(
  (
    "npx npx-cli.js npm npm-cli.js pnpm pnpx pnpm.cjs yarn yarnpkg yarn.js bun bunx deno uv uvx pip pipx poetry pdm hatch rye pixi conda " +
    "make gmake just task rake bundle mix cargo go gradle gradlew mvn mvnw composer dotnet docker-compose nx turbo nodemon"
  ).split(" "),
);
/** Programs that start another one, which their arguments name. */
const STARTERS = new Set(
  "env sh bash dash zsh ksh fish cmd powershell pwsh nohup nice timeout time setsid stdbuf sudo doas xargs node nodejs".split(" "),
);
const PYTHON = /^(?:python|pypy)[\d.]*$/;

const INTERPRETERS = /^(?:node|nodejs|bun|deno|tsx|ts-node|(?:python|pypy)[\d.]*|ruby|php|perl|lua|java)$/;

/** Does it run what a folder holds when it is given the folder? */
export const isInterpreter = (command: string): boolean => INTERPRETERS.test(nameOf(command));

/** `/usr/bin/npx` → `npx`, `NPX.CMD` → `npx`. */
const nameOf = (program: string): string =>
  basename(program.replaceAll("\\", "/"))
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat|com)$/, "");

/** Does this command, or one that it starts, take code from its folder? */
export function takesCodeFromFolder(command: string, args: readonly string[]): boolean {
  const name = nameOf(command);
  if (RUNNERS.has(name)) return true;
  const isModule = (word: string) => /^-[a-zA-Z]*[mc]/.test(word);
  if (PYTHON.test(name)) return args.some(isModule);
  if (!STARTERS.has(name)) return false;
  const words = args.flatMap(wordsIn);
  return words.some((word) => RUNNERS.has(nameOf(word))) || (words.some((word) => PYTHON.test(nameOf(word))) && words.some(isModule));
}

/** The words of an argument, also where it is a whole command line or `--name=value`. */
export const wordsIn = (text: string): readonly string[] => text.split(/[\s"'`;|&<>(){}=,]+|:(?=\/)/).filter((word) => word !== "");

/** The runner's own arguments, up to the package, script or target that it is to run; behind them come those of the server. */
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
