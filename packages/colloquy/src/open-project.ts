import { openProject as open, type OpenOptions, type Project, version } from "@colloquy/library";
import type { FetchOptions } from "@colloquy/server/fetch";

type DoorOptions = Pick<FetchOptions, "authenticate" | "basePath" | "origins">;

export interface EmbedOptions extends OpenOptions, DoorOptions {}

/** A project in a program that has a server of its own. */
export type EmbeddedProject = Project & {
  /** The whole HTTP API: a request in, the answer out. It needs no `this`, so it can be handed to a router as it is. */
  readonly fetch: (request: Request) => Promise<Response>;
};

/** Kept at the project, which is one for the process: a module that is loaded anew finds what the one before it made. */
const DOOR = Symbol.for("colloquy.door");
interface Door {
  readonly fetch: EmbeddedProject["fetch"];
  options: DoorOptions;
}

/** The same project has the same function, however often it is opened; who comes in is for the last `authenticate` to say. */
export async function openProject({ authenticate, basePath, origins, ...options }: EmbedOptions): Promise<EmbeddedProject> {
  const project: Project & { [DOOR]?: Door } = await open(options);
  const given = { ...(authenticate && { authenticate }), ...(basePath !== undefined && { basePath }), ...(origins && { origins }) };
  const door = (project[DOOR] ??= doorOf(project, given, options.report ?? ((message) => process.stderr.write(`${message}\n`))));
  door.options = { ...door.options, ...given };
  return Object.assign(project, { fetch: door.fetch });
}

/** Loaded with the first request: who asks nothing over HTTP pays nothing for it. */
function doorOf(project: Project, options: DoorOptions, report: (message: string) => void): Door {
  let opened: Promise<EmbeddedProject["fetch"]> | undefined;
  const open = async () => {
    const { projectFetch } = await import("@colloquy/server/fetch");
    const authenticate: FetchOptions["authenticate"] = (request) => door.options.authenticate?.(request);
    return projectFetch(project, { ...door.options, ...(door.options.authenticate && { authenticate }), version: version(), report });
  };
  const door: Door = { options, fetch: async (request) => (await (opened ??= open()))(request) };
  return door;
}
