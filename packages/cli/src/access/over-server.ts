import { projectDir } from "../dialogs/session.ts";
import type { Call } from "../line/command.ts";
import { ExitCode } from "../line/exit-code.ts";
import type { ServerAddress } from "./server-address.ts";

/** A server to talk to. `dir`: the project's folder, if it is on this machine. */
export interface Held {
  readonly address: ServerAddress;
  readonly dir: string | undefined;
}

/** Works with the server that holds the project: the one that runs, else this process becomes it until the work is done. */
export async function overServer(call: Call, work: (held: Held) => Promise<void>): Promise<ExitCode> {
  const { shell } = call;
  if (call.server) {
    await work({ address: call.server, dir: undefined });
    return ExitCode.done;
  }
  const dir = await projectDir(call);
  const { livingServer } = await import("./running-server.ts");
  const running = await livingServer(dir, shell);
  if (running) {
    await work({ address: running, dir });
    return ExitCode.done;
  }
  const { whileServing } = await import("./serving.ts");
  return whileServing(call, { dirs: [dir], port: undefined, host: undefined }, async ({ url, link }) => {
    shell.err.write(`Serving at ${url}\nAnswer there: ${link}\n`);
    const own = await livingServer(dir, shell);
    if (own) await work({ address: own, dir });
  });
}

/** Standard output belongs to the protocol. */
export const reportTo =
  ({ shell }: Pick<Call, "shell">) =>
  (error: unknown): void =>
    shell.err.write(`${error instanceof Error ? error.message : String(error)}\n`);
