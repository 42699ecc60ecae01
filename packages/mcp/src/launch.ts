import { existsSync } from "node:fs";
import { delimiter, isAbsolute, parse, resolve } from "node:path";
import type { McpServerConfig } from "@colloquy/schema";
import { ownArgs, takesCodeFromFolder, wordsIn } from "./code-runner.ts";
import { type Environment, filledIn, serverEnv } from "./filled-in.ts";
import { isIn, realRoot } from "./project-path.ts";
import { findProgram, outsideProject } from "./search-path.ts";

/** A server's process, ready to be started. */
export interface Launch {
  /** The program's path, already looked up. */
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Variables by which programs find code. */
const CODE_VARIABLES =
  /^(?:PYTHON(?:PATH|HOME|STARTUP|USERBASE)|VIRTUAL_ENV|NODE_(?:PATH|OPTIONS)|RUBY(?:LIB|OPT)|GEM_(?:HOME|PATH)|PERL5(?:LIB|OPT)|CLASSPATH|_?JAVA_(?:TOOL_)?OPTIONS|LUA_C?PATH|GO(?:PATH|ROOT)|CARGO_HOME|PHPRC|PHP_INI_SCAN_DIR|R_LIBS.*|JAVA_HOME|JDK_JAVA_OPTIONS|MAVEN_OPTS|PYTHONPYCACHEPREFIX|NODE_REPL_EXTERNAL_MODULE|OPENSSL_(?:CONF|MODULES|ENGINES)|GCONV_PATH|DOTNET_STARTUP_HOOKS|CORECLR_PROFILER_PATH|GIT_(?:CONFIG_(?:GLOBAL|SYSTEM)|EXEC_PATH|SSH|SSH_COMMAND|ASKPASS|TEMPLATE_DIR|PROXY_COMMAND|EXTERNAL_DIFF|PAGER|EDITOR)|SSH_ASKPASS|EDITOR|VISUAL|PAGER|BROWSER|SHELL|PROMPT_COMMAND|HOME|XDG_(?:CONFIG|DATA|CACHE)_HOME|(?:BASH_)?ENV|ZDOTDIR|PREFIX)$|^(?:LD|DYLD|NPM_CONFIG|UV|BUN|DENO|PIP|PIPX|YARN|COREPACK)_/i;

/**
 * Decides what to start for a server, before anything runs. Outside the sandbox, nothing runs merely because it is in the project,
 * where agents can write. The error says what to change.
 */
export function launchOf(name: string, config: McpServerConfig, dir: string, env: Environment): Launch {
  const where = `mcp.servers.${name}`;
  const root = realRoot(dir);
  const command = filledIn(config.command ?? "", env, `${where}.command`);
  const args = (config.args ?? []).map((arg, at) => filledIn(arg, env, `${where}.args[${at}]`));
  const given = serverEnv(env, config.env ?? {}, where);
  const path = outsideProject(given["PATH"] ?? given["Path"], root);
  const launch = {
    args,
    env: { ...Object.fromEntries(Object.entries(given).filter(([variable]) => variable.toUpperCase() !== "PATH")), PATH: path },
    cwd: resolve(root, filledIn(config.cwd ?? ".", env, `${where}.cwd`)),
  };
  const file = /[\\/]/.test(command) ? resolve(launch.cwd, command) : findProgram(command, path, root, given["PATHEXT"]);
  if (file === undefined) throw new Error(notFound(command, given["PATH"], path));
  if (config.sandbox) return { ...launch, file };
  const server = { config, root, where };
  refuseCodeVariables(server, launch);
  if (!takesCodeFromFolder(command, args)) return { ...launch, file };
  return { ...launch, file, ...awayFromProject(server, command, launch) };
}

interface ConfiguredServer {
  readonly config: McpServerConfig;
  /** The project's folder. */
  readonly root: string;
  /** The setting's place, for error messages. */
  readonly where: string;
}

/** A program that loads code from its working folder starts outside the project; arguments like `./file` still mean the project. */
function awayFromProject(
  { config, root, where }: ConfiguredServer,
  command: string,
  { args, cwd }: Omit<Launch, "file">,
): Pick<Launch, "args" | "cwd"> {
  const named = config.cwd;
  const inSandbox = `Set ${where}.sandbox to true, so that it can do no more than an agent's command`;
  if (named !== undefined && isIn(root, cwd))
    throw new Error(
      `${command} runs code of the folder it is started in, and agents write in the project. ${inSandbox}, or leave out cwd.`,
    );
  const isCommandLine = args.some((arg) => /\s/.test(arg));
  const own = (isCommandLine ? args : ownArgs(args)).flatMap((arg) => [arg, ...wordsIn(arg)]);
  const inside = own.find((arg) => isPath(arg) && isIn(root, resolve(cwd, arg)));
  if (inside !== undefined)
    throw new Error(`${command} would run code of ${inside}, which is in the project, and agents write there. ${inSandbox}.`);
  return { args: args.map((arg) => (isDotPath(arg) ? resolve(cwd, arg) : arg)), cwd: named === undefined ? parse(root).root : cwd };
}

const isPath = (word: string): boolean => isAbsolute(word) || isDotPath(word);
const isDotPath = (word: string): boolean => /^\.{1,2}(?:$|[\\/])/.test(word);

function refuseCodeVariables({ config, root, where }: ConfiguredServer, { env, cwd }: Omit<Launch, "file">): void {
  for (const variable of Object.keys(config.env ?? {}).filter((one) => one.toUpperCase() !== "PATH" && CODE_VARIABLES.test(one))) {
    const parts = (env[variable] ?? "").split(new RegExp(`[\\s=,"']+|${delimiter}`)).filter((part) => part !== "" && !part.startsWith("-"));
    const inside = parts.find((part) => (isPath(part) || existsSync(resolve(cwd, part))) && isIn(root, resolve(cwd, part)));
    if (inside === undefined) continue;
    throw new Error(
      `${where}.env.${variable} leads to ${inside} in the project, where agents write, and programs find code by it. ` +
        `Set ${where}.sandbox to true, or let it lead elsewhere.`,
    );
  }
}

function notFound(command: string, given: string | undefined, path: string): string {
  const skipped = given !== undefined && given !== path ? " Folders of the project on the PATH are not searched: agents write there." : "";
  return `There is no program of that name (${command}).${skipped} To run a file of the project, write its path: ./${command}`;
}
