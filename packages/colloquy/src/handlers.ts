import type { EmbeddedProject } from "./open-project.ts";

type Handle = (request: Request) => Promise<Response>;

export interface Handlers {
  readonly GET: Handle;
  readonly POST: Handle;
  readonly PATCH: Handle;
  readonly DELETE: Handle;
}

/** A project, or a function that opens it when a request comes. */
export type Opening = EmbeddedProject | Promise<EmbeddedProject> | (() => EmbeddedProject | Promise<EmbeddedProject>);

export const openingOf = (project: Opening): (() => EmbeddedProject | Promise<EmbeddedProject>) =>
  typeof project === "function" ? project : () => project;

/**
 * For routers that want one function per method, such as Next.js: `export const { GET, POST, PATCH, DELETE } = handlers(open)`. Given a
 * function it opens nothing until the first request: a build that loads the module takes no lock.
 */
export function handlers(project: Opening): Handlers {
  const opening = openingOf(project);
  const handle: Handle = async (request) => (await opening()).fetch(request);
  return { GET: handle, POST: handle, PATCH: handle, DELETE: handle };
}
