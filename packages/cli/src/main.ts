import module from "node:module";
import { text } from "node:stream/consumers";
import { ExitCode } from "./line/exit-code.ts";
import { Interrupts } from "./dialogs/interrupts.ts";
import { run } from "./line/run.ts";
import { lineInput } from "./terminal/line-input.ts";
import { screenOn } from "./terminal/screen.ts";

// Caches compiled code for the next command.
module.enableCompileCache();

const { stdin, stdout, stderr, env } = process;
let atOnce: ExitCode = ExitCode.interrupted;
const interrupts = new Interrupts(() => process.exit(atOnce));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interrupts.interrupt());
// The reader of our output has gone: close work in progress cleanly and silently.
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") return;
  atOnce = ExitCode.done;
  interrupts.interrupt();
});
stderr.on("error", () => undefined);

// With nothing left to wait for, Node would exit as if all were well.
process.on("beforeExit", () => {
  stderr.write("The command waits for something that will not come. Nothing was lost; try again, and please report it.\n");
  process.exit(ExitCode.refused);
});

const code = await run(process.argv.slice(2), {
  cwd: process.cwd(),
  env,
  out: screenOn(stdout, env),
  err: screenOn(stderr, env),
  canAsk: Boolean(stdin.isTTY && stdout.isTTY),
  interrupts,
  now: () => Date.now(),
  read: () => text(stdin),
  input: () => lineInput(stdin, stdout, () => interrupts.interrupt()),
});

// Connections to models may linger; flush the output before exiting.
stdout.write("", () => stderr.write("", () => process.exit(code)));
