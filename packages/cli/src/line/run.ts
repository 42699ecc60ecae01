import { resolve } from "node:path";
import { version } from "@colloquy/library/version";
import { checkWords, findCommand, parse } from "./command-line.ts";
import type { ExitCode } from "./exit-code.ts";
import { ExitCode as Exit } from "./exit-code.ts";
import { failureOf } from "./failure.ts";
import { commandNamed } from "./find-command.ts";
import { jsonText } from "./output.ts";
import { namedServer } from "../access/server-address.ts";
import { marked } from "../terminal/visible.ts";
import type { Shell } from "./shell.ts";

/** Runs one command line. Any error is one sentence on standard error and an exit code. */
export async function run(argv: readonly string[], shell: Shell): Promise<ExitCode> {
  const written = { isAnything: false };
  const watched: Shell = { ...shell, out: watch(shell.out, written) };
  try {
    return await dispatch(argv, watched);
  } catch (error) {
    const failure = failureOf(error);
    // Always one JSON value: the failure, unless a result was already printed.
    if (argv.includes("--json") && !written.isAnything)
      shell.out.write(`${jsonText({ error: { code: failure.code, message: failure.message } })}\n`);
    shell.err.write(`${marked(failure.message)}\n`);
    if (shell.env.COLLOQUY_DEBUG === "1") shell.err.write(`${stackOf(failure)}\n`);
    return failure.exitCode;
  }
}

async function dispatch(argv: readonly string[], shell: Shell): Promise<ExitCode> {
  const { name, rest } = findCommand(argv);
  // Before anything is loaded: these two must be fast.
  if (name === undefined && rest.some((arg) => arg === "--version" || arg === "-v")) return printVersion(shell);
  if (name === undefined && rest.some((arg) => arg === "--help" || arg === "-h")) {
    const { overview } = await import("../commands/help.ts");
    return overview({ shell }, rest.includes("--all"));
  }
  const called = name ?? "status";
  const command = await commandNamed(called);
  const { values, words } = parse(called, command.options, rest);
  if (values.help) {
    const { commandHelp, overview } = await import("../commands/help.ts");
    return called === "help" ? overview({ shell }, values.all === true) : commandHelp({ shell }, called, command);
  }
  if (values.version) return printVersion(shell);
  checkWords(called, command, words);
  const dir = resolve(shell.cwd, typeof values.dir === "string" ? values.dir : ".");
  const stored = typeof values.store === "string" ? { ...shell, env: { ...shell.env, COLLOQUY_STORE: values.store } } : shell;
  return command.run({ values, words, shell: stored, dir, json: values.json === true, server: namedServer(values, shell.env) });
}

function printVersion(shell: Shell): ExitCode {
  shell.out.write(`${version()}\n`);
  return Exit.done;
}

function watch(screen: Shell["out"], written: { isAnything: boolean }): Shell["out"] {
  return {
    isTerminal: screen.isTerminal,
    get columns() {
      return screen.columns;
    },
    colours: screen.colours,
    write(text) {
      written.isAnything = true;
      screen.write(text);
    },
  };
}

const stackOf = (failure: Error): string => (failure.cause instanceof Error ? failure.cause : failure).stack ?? "";
