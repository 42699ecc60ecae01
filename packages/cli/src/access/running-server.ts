import type { ServerFile } from "@colloquy/server/server-file";
import { library } from "../dialogs/session.ts";
import type { Shell } from "../line/shell.ts";
import { isKnownFolder } from "./trust.ts";

/** The server that works on a project, if one does. In a folder that came from elsewhere the file is somebody else's. */
export async function runningServer(dir: string, shell: Pick<Shell, "env">): Promise<ServerFile | undefined> {
  if (!isKnownFolder(dir, shell)) return undefined;
  const { demandPrivateServerFile, readServerFile } = await import("@colloquy/server/server-file");
  const file = readServerFile(dir);
  if (!file || !isAlive(file.pid)) return undefined;
  demandPrivateServerFile(dir);
  return file;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A server on this machine that says nothing for so long is none. */
const ANSWER_MS = 3_000;

/** The same, and it answers: what a file says is not believed. */
export async function livingServer(dir: string, shell: Pick<Shell, "env">): Promise<ServerFile | undefined> {
  const file = await runningServer(dir, shell);
  if (!file) return undefined;
  const { Api } = await import("@colloquy/client");
  return new Api(file).call("me", {}, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
    () => file,
    () => undefined,
  );
}

/** Where somebody with this token comes in: at the running server, else where the settings say that one will be. */
export async function serverLink(dir: string, token: string, shell: Pick<Shell, "env">): Promise<string> {
  const running = await runningServer(dir, shell);
  if (running) return `${running.url}/#token=${token}`;
  const { host, port } = await (await library()).readServerSettings(dir);
  return `http://${host}:${port}/#token=${token}`;
}
