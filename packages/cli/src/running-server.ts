import type { ServerFile } from "@colloquy/server";
import { library } from "./session.ts";

/** The server that works on a project, if one does. */
export async function runningServer(dir: string): Promise<ServerFile | undefined> {
  const { readServerFile } = await import("@colloquy/server");
  const file = readServerFile(dir);
  if (!file) return undefined;
  try {
    process.kill(file.pid, 0);
    return file;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" ? file : undefined;
  }
}

/** Where somebody with this token comes in: at the running server, else where the settings say that one will be. */
export async function serverLink(dir: string, token: string): Promise<string> {
  const running = await runningServer(dir);
  if (running) return `${running.url}/?token=${token}`;
  const { host, port } = await (await library()).readServerSettings(dir);
  return `http://${host}:${port}/?token=${token}`;
}
