import { openProject as open, type OpenOptions, type Project, version } from "@colloquy/library";
import type { FetchOptions } from "@colloquy/server/fetch";

export interface EmbedOptions extends OpenOptions, Pick<FetchOptions, "authenticate" | "basePath"> {}

/** A project in a program that has a server of its own. */
export type EmbeddedProject = Project & {
  /** The whole HTTP API: a request in, the answer out. It needs no `this`, so it can be handed to a router as it is. */
  readonly fetch: (request: Request) => Promise<Response>;
};

/** The same project is given the same function, however often it is opened. */
const doors = new WeakMap<Project, EmbeddedProject["fetch"]>();

export async function openProject({ authenticate, basePath, ...options }: EmbedOptions): Promise<EmbeddedProject> {
  const project = await open(options);
  const report = options.report ?? ((message: string) => process.stderr.write(`${message}\n`));
  const door =
    doors.get(project) ?? doorOf(project, { ...(authenticate && { authenticate }), ...(basePath !== undefined && { basePath }) }, report);
  doors.set(project, door);
  return Object.assign(project, { fetch: door });
}

/** Loaded with the first request: who asks nothing over HTTP pays nothing for it. */
function doorOf(
  project: Project,
  options: Pick<FetchOptions, "authenticate" | "basePath">,
  report: (message: string) => void,
): EmbeddedProject["fetch"] {
  let door: Promise<EmbeddedProject["fetch"]> | undefined;
  return async (request) => {
    door ??= import("@colloquy/server/fetch").then(({ projectFetch }) => projectFetch(project, { ...options, version: version(), report }));
    return (await door)(request);
  };
}
