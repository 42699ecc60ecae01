import { existsSync } from "node:fs";
import type { Project } from "@colloquy/library";
import type { Call } from "../line/command.ts";
import type { ProjectAccess } from "../access/project-access.ts";
import { ExitCode } from "../line/exit-code.ts";
import { Failure, notFound, wrongUsage } from "../line/failure.ts";
import { ownAccess } from "../access/own-access.ts";
import { homePath } from "../access/paths.ts";
import type { ServerAddress } from "../access/server-address.ts";

/** The library with its dependencies, loaded only by commands that need a project. */
export const library = () => import("@colloquy/library");

type ProjectOptions = Pick<Call, "dir" | "shell" | "server"> & { readonly json?: boolean };
/** What is driven while the project is open: what the command touches, everything, or nothing. */
type Drive = "touched" | "all" | "none";

/** The project's folder, here or above. */
export async function projectDir({ dir, shell, server }: ProjectOptions): Promise<string> {
  if (server) throw wrongUsage("This command works on the files of a project on this machine: it takes no --server.");
  if (!existsSync(dir)) throw notFound(`There is no folder ${homePath(dir, shell.env)}.`);
  const { findProject } = await library();
  const found = findProject(dir);
  if (found === undefined) throw notFound(`No colloquy.yaml in ${homePath(dir, shell.env)} or above. Make one: colloquy init`);
  return found;
}

/** Opens the project, works with it, and closes it whatever happens. Only what the command touches is driven. */
export async function withProject<T>(
  where: ProjectOptions,
  work: (project: ProjectAccess) => Promise<T>,
  drive: Drive = "none",
): Promise<T> {
  if (where.server) return atServer(where.server, undefined, where, work);
  return withProjectIn(await projectDir(where), where, work, drive);
}

export async function withProjectIn<T>(
  dir: string,
  where: ProjectOptions,
  work: (project: ProjectAccess) => Promise<T>,
  drive: Drive,
): Promise<T> {
  const { livingServer } = await import("../access/running-server.ts");
  const server = await livingServer(dir, where.shell);
  if (server) return atServer(server, dir, where, work);
  return withOwnProject(dir, where, (project) => work(ownAccess(project, drive === "all")), drive);
}

async function atServer<T>(
  address: ServerAddress,
  dir: string | undefined,
  { shell }: ProjectOptions,
  work: (project: ProjectAccess) => Promise<T>,
): Promise<T> {
  const { ServedAccess } = await import("../access/served-access.ts");
  const letGo = shell.interrupts.hold();
  try {
    const access = await ServedAccess.open(address, dir);
    try {
      return await work(access);
    } finally {
      access.close();
    }
  } finally {
    letGo();
  }
}

/** For commands that only the process holding the project can run. */
export async function withOwnProject<T>(
  dir: string,
  { shell, json }: { readonly shell: Call["shell"]; readonly json?: boolean },
  work: (project: Project) => Promise<T>,
  drive: Drive,
): Promise<T> {
  const { isStoreInSettings, openProject } = await library();
  const { demandTrust, rememberHarmless, trustGate } = await import("../access/trust.ts");
  // Reading runs nothing and sends nothing, unless the settings name a database.
  const needsTrust = drive !== "none" || (await isStoreInSettings(dir, shell.env));
  if (!needsTrust) await rememberHarmless(dir, shell);
  else await demandTrust(dir, { shell, ...(json !== undefined && { json }) });
  const letGo = shell.interrupts.hold();
  try {
    const project = await openProject({
      dir,
      drive,
      env: shell.env,
      report: reporter(shell),
      ...(needsTrust && { trust: trustGate(dir, shell) }),
    });
    let worked: T;
    try {
      worked = await work(project);
    } catch (error) {
      // The original error matters more than a later one while closing.
      await project.close().catch(() => undefined);
      throw error;
    }
    await project.close();
    return worked;
  } finally {
    letGo();
  }
}

/** Prints each of the engine's messages once: a full disk would otherwise be reported every second. */
function reporter(shell: ProjectOptions["shell"]): (message: string) => void {
  let last = "";
  return (message) => {
    if (message === last) return;
    last = message;
    shell.err.write(`${message}\n`);
  };
}

/** The given text, or standard input for `-`. */
export async function textFrom(words: readonly string[], { shell }: Pick<Call, "shell">): Promise<string> {
  const text = words.length === 1 && words[0] === "-" ? await shell.read() : words.join(" ");
  if (text.trim() === "") throw new Failure(ExitCode.usage, "empty_content", "A message needs some text.");
  return text;
}
