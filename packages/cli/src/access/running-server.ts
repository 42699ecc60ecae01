import type { ServerFile } from "@colloquy/server/server-file";
import { library } from "../dialogs/session.ts";
import type { Shell } from "../line/shell.ts";
import { isKnownFolder } from "./trust.ts";

/** The server that holds a project, if any. In an untrusted folder the file may be somebody else's. */
export async function runningServer(dir: string, shell: Pick<Shell, "env">): Promise<ServerFile | undefined> {
  if (!isKnownFolder(dir, shell)) return undefined;
  const { demandPrivateServerFile, hasToken, readServerFile } = await import("@colloquy/server/server-file");
  const file = readServerFile(dir);
  if (!file || !isAlive(file.pid)) return undefined;
  demandPrivateServerFile(dir);
  // A file that came with a pull must not lead to another machine.
  return isLoopback(file.url) || hasToken(dir, file.token) ? file : undefined;
}

const isLoopback = (url: string): boolean => URL.canParse(url) && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A local server that is silent for this long counts as absent. */
const ANSWER_MS = 3_000;

/** The same, if it responds: the file alone isn't trusted. */
export async function livingServer(dir: string, shell: Pick<Shell, "env">): Promise<ServerFile | undefined> {
  const file = await runningServer(dir, shell);
  if (!file) return undefined;
  const { Api } = await import("@colloquy/client");
  return new Api(file).call("me", {}, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
    () => file,
    () => undefined,
  );
}

/** The address for somebody with this token: the running server's, else the one from the settings. */
export async function serverLink(dir: string, token: string, shell: Pick<Shell, "env">): Promise<string> {
  const running = await runningServer(dir, shell);
  if (running) return `${running.url}/#token=${token}`;
  const { host, port } = await (await library()).readServerSettings(dir);
  return `http://${host}:${port}/#token=${token}`;
}
