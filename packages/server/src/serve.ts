import { realpathSync } from "node:fs";
import { isIP } from "node:net";
import { openProject, type OpenOptions, type Project, Refused } from "@colloquy/library";
import {
  demandPrivateSessions,
  readServerFile,
  removeServerFile,
  rotateServerToken,
  serverToken,
  sessionsPath,
  writeServerFile,
} from "./server-file.ts";
import { startServer } from "./server.ts";

export interface ServeOptions extends Pick<OpenOptions, "env"> {
  /** Project folders. The first one's settings choose the address to listen on. */
  readonly dirs: readonly string[];
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly version: string;
  readonly webDir?: string;
  readonly report: (message: string) => void;
  /** Receives an entry for whatever the projects do. */
  readonly log?: OpenOptions["log"];
  /** How far each folder is trusted; if absent, fully. */
  readonly trust?: (dir: string) => OpenOptions["trust"];
  /** Called when a new token was made for the folder. */
  readonly onToken?: (dir: string) => void;
}

/** Projects that are open, driven and served. */
export interface Serving {
  readonly url: string;
  /** A link that signs in one browser as the owner, once. */
  readonly link: string;
  readonly projects: readonly Project[];
  close(): Promise<void>;
}

export async function serve(options: ServeOptions): Promise<Serving> {
  const dirs = [...new Set(options.dirs.map((dir) => realpathSync(dir)))];
  const projects: Project[] = [];
  const closeAll = () => Promise.all(projects.map((project) => project.close()));
  try {
    for (const dir of dirs) projects.push(await open(dir, options));
    const [first] = projects;
    if (!first) throw new Refused({ code: "bad_request", message: "There is no project to serve." });
    const settings = first.agents.server;
    const host = options.host ?? settings.host;
    demandPrivateSessions(first.dir);
    let token = tokenFor(first.dir, host);
    options.onToken?.(first.dir);
    const startedAt = new Date().toISOString();
    const announce = (url: string, ids: readonly string[]) => {
      for (const [nth, { dir }] of projects.entries())
        writeServerFile(dir, { pid: process.pid, url, token, startedAt, projectId: ids[nth] ?? "" });
    };
    const server = await startServer({
      projects,
      token,
      host,
      port: options.port ?? settings.port,
      nextPorts: options.port === undefined,
      origins: settings.url === undefined ? settings.origins : [...settings.origins, new URL(settings.url).origin],
      version: options.version,
      ...(options.webDir !== undefined && { webDir: options.webDir }),
      report: options.report,
      sessionsFile: sessionsPath(first.dir),
      rotateToken: () => {
        token = rotateServerToken(first.dir);
        options.onToken?.(first.dir);
        announce(server.url, server.projectIds);
        return token;
      },
    });
    for (const project of projects) {
      project.indexWords();
      void project.watchHealth().catch((error: unknown) => options.report(`The check of the logs failed: ${String(error)}`));
    }
    announce(server.url, server.projectIds);
    for (const { cluster } of projects) await cluster?.announce(settings.url ?? server.url);
    if (!isLoopback(host)) options.report(unencrypted(host));
    return {
      url: server.url,
      link: server.newLink(),
      projects,
      async close() {
        await server.close();
        for (const { dir } of projects) removeServerFile(dir);
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function open(dir: string, { env, report, log, trust }: ServeOptions): Promise<Project> {
  try {
    return await openProject({ dir, report, log, trust: trust?.(dir), ...(env && { env }) });
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== "locked") throw error;
    const other = readServerFile(dir);
    if (!other || !isAlive(other.pid)) throw error;
    const since = new Date(other.startedAt).toTimeString().slice(0, 5);
    throw new Refused({
      code: "locked",
      message: `A server (pid ${other.pid}) works on ${dir} since ${since}, at ${other.url}. Use that one, or stop it with kill ${other.pid}.`,
    });
  }
}

function tokenFor(dir: string, host: string): string {
  try {
    return serverToken(dir);
  } catch (error) {
    if (isLoopback(host) || error instanceof Refused) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new Refused({ code: "bad_config", message: `Not listening on ${host}without a token, and none can be stored:  ${why}` });
  }
}

const unencrypted = (host: string): string =>
  `Warning: ${host} is reachable from the network, and plain HTTP shows tokens and messages to everyone on the way. ` +
  "Listen on 127.0.0.1 instead, behind a reverse proxy with TLS, and name the proxy's address in colloquy.yaml: " +
  'server: { origins: ["https://agents.example.org"] }';

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
