import { version } from "@colloquy/library/version";
import type { Serving } from "@colloquy/server";
import type { Call } from "../line/command.ts";
import type { Shell } from "../line/shell.ts";
import { ExitCode } from "../line/exit-code.ts";
import { wrongUsage } from "../line/failure.ts";
import { printJson } from "../line/output.ts";
import { demandTrust, noteToken, trustGate } from "./trust.ts";

interface ServeOptions {
  /** `json`: what happens is written to standard error, one JSON object a line. */
  readonly logFormat?: "text" | "json";
  readonly dirs: readonly string[];
  readonly port: number | undefined;
  readonly host: string | undefined;
}

/** Serves until Ctrl-C. `greet` runs when it is reachable; work that it starts is driven like everything else. */
export function serveUntilInterrupted(
  call: Pick<Call, "shell" | "json">,
  place: ServeOptions,
  greet: (serving: Serving) => Promise<string> | string,
): Promise<ExitCode> {
  const { shell } = call;
  return whileServing(call, place, async (serving) => {
    const greeting = await greet(serving);
    if (call.json) printJson(call, { url: serving.url, link: serving.link });
    else shell.out.write(greeting);
    await interrupted(shell.interrupts.signal);
    report(shell, place)("Stopping: what runs gets a moment to end.", "info");
  });
}

/** Writes what people should know to standard error, in the log's format. */
function report({ err, now }: Shell, { logFormat }: Pick<ServeOptions, "logFormat">) {
  return (message: string, level: "info" | "warn" = "warn"): void => {
    const line = logFormat === "json" ? JSON.stringify({ time: new Date(now()).toISOString(), level, message }) : message;
    err.write(`${line}\n`);
  };
}

/** Serves while `work` runs. */
export async function whileServing(
  call: Pick<Call, "shell" | "json">,
  place: ServeOptions,
  work: (serving: Serving) => Promise<void>,
): Promise<ExitCode> {
  const { shell } = call;
  for (const dir of place.dirs) await demandTrust(dir, call);
  const server = await import("@colloquy/server");
  const { tokenDigest } = await import("@colloquy/server/server-file");
  const letGo = shell.interrupts.hold();
  const tell = report(shell, place);
  const { logFormat, ...served } = place;
  try {
    const serving = await server.serve({
      ...served,
      version: version(),
      env: shell.env,
      trust: (dir) => trustGate(dir, shell),
      onToken: (dir) => noteToken(dir, shell, tokenDigest(dir)),
      report: tell,
      ...(logFormat === "json" && { log: (entry: object) => shell.err.write(`${JSON.stringify(entry)}\n`) }),
    });
    for (const project of serving.projects) for (const notice of project.costNotices()) tell(notice);
    try {
      await work(serving);
    } finally {
      await serving.close();
    }
    return ExitCode.done;
  } finally {
    letGo();
  }
}

export function logFormatOf(typed: string | undefined): "text" | "json" {
  if (typed === undefined || typed === "text") return "text";
  if (typed !== "json") throw wrongUsage(`--log takes text or json, not "${typed}".`);
  return "json";
}

export function portOf(typed: string | undefined): number | undefined {
  if (typed === undefined) return undefined;
  const port = Number(typed);
  if (!/^\d{1,5}$/.test(typed) || port > 65_535) throw wrongUsage(`--port takes a number from 0 to 65535, not "${typed}".`);
  return port;
}

export const interrupted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
