import { openProject as open, type OpenOptions, type Project, version } from "@colloquy/library";
import type { FetchOptions } from "@colloquy/server/fetch";

type HttpOptions = Pick<FetchOptions, "authenticate" | "basePath" | "origins">;

export interface EmbedOptions extends OpenOptions, HttpOptions {}

/** A project in a program that has its own server. */
export type EmbeddedProject = Project & {
  /** The whole HTTP API: a request in, the response out. It needs no `this`, so it can be passed to a router directly. */
  readonly fetch: (request: Request) => Promise<Response>;
};

/** Stored on the project, which is one per process: a reloaded module finds what the previous one made. */
const HTTP_ENTRY = Symbol.for("colloquy.http");
interface HttpEntry {
  readonly fetch: EmbeddedProject["fetch"];
  options: HttpOptions;
}

/** The same project has the same function, however often it is opened; the last `authenticate` decides on access. */
export async function openProject({ authenticate, basePath, origins, ...options }: EmbedOptions): Promise<EmbeddedProject> {
  const project: Project & { [HTTP_ENTRY]?: HttpEntry } = await open(options);
  const given = { ...(authenticate && { authenticate }), ...(basePath !== undefined && { basePath }), ...(origins && { origins }) };
  const entry = (project[HTTP_ENTRY] ??= httpEntryOf(
    project,
    given,
    options.report ?? ((message) => process.stderr.write(`${message}\n`)),
  ));
  entry.options = { ...entry.options, ...given };
  return Object.assign(project, { fetch: entry.fetch });
}

/** Loaded with the first request: programs without HTTP don't pay for it. */
function httpEntryOf(project: Project, options: HttpOptions, report: (message: string) => void): HttpEntry {
  let opened: Promise<EmbeddedProject["fetch"]> | undefined;
  const open = async () => {
    const { projectFetch } = await import("@colloquy/server/fetch");
    const authenticate: FetchOptions["authenticate"] = (request) => entry.options.authenticate?.(request);
    return projectFetch(project, { ...entry.options, ...(entry.options.authenticate && { authenticate }), version: version(), report });
  };
  const entry: HttpEntry = { options, fetch: async (request) => (await (opened ??= open()))(request) };
  return entry;
}
