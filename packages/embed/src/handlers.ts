import type { EmbeddedProject } from "./open-project.ts";

type Handle = (request: Request) => Promise<Response>;

export interface Handlers {
  readonly GET: Handle;
  readonly POST: Handle;
  readonly PATCH: Handle;
  readonly DELETE: Handle;
}

/** For routers that want a function for each method, such as Next.js: `export const { GET, POST, PATCH, DELETE } = handlers(project)`. */
export function handlers(project: EmbeddedProject | Promise<EmbeddedProject>): Handlers {
  const handle: Handle = async (request) => (await project).fetch(request);
  return { GET: handle, POST: handle, PATCH: handle, DELETE: handle };
}
