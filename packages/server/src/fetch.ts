import type { Project } from "@colloquy/library";
import { Role } from "@colloquy/schema";
import { apiHandler, type Handler, problemResponse } from "./api/handler.ts";
import type { Caller } from "./caller.ts";
import { Problem, problemOf } from "./problem.ts";
import { projectIds, ServedProject } from "./served-project.ts";

/** Who sent a request, by what the surrounding program knows: a session, a token, a client certificate. */
export interface User {
  /** The name that answers and messages carry. */
  readonly user: string;
  readonly role: Role;
}

export interface FetchOptions {
  /** What stands before `/projects`; the program's own prefix included, unless its router takes that away. */
  readonly basePath?: string | undefined;
  /** Nobody comes in without it. */
  readonly authenticate?: ((request: Request) => Promise<User | undefined> | User | undefined) | undefined;
  readonly version: string;
  readonly report: (message: string) => void;
}

/** The whole HTTP API of one project as a function of web standards, for whoever has a server already. */
export function projectFetch(project: Project, options: FetchOptions): (request: Request) => Promise<Response> {
  const { basePath = "/api", authenticate, version } = options;
  const report = (error: unknown) => options.report(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const [id = "project"] = projectIds([project.dir]);
  let opened: Promise<Handler> | undefined;
  const open = async (): Promise<Handler> => {
    const served = await ServedProject.open(id, project, report);
    project.onClose(() => served.close());
    return apiHandler({ version, projects: () => [served], isStopping: () => false, report }, basePath.replace(/\/+$/, ""));
  };
  return async (request) => {
    try {
      const handle = await (opened ??= open());
      return await handle(request, await callerOf(request, id, authenticate));
    } catch (error) {
      return problemResponse(problemOf(error, report));
    }
  };
}

async function callerOf(request: Request, projectId: string, authenticate: FetchOptions["authenticate"]): Promise<Caller | undefined> {
  if (!authenticate)
    throw new Problem(
      "unauthorized",
      "Nobody can come in: give openProject an authenticate(request) that says who sent it, with which role.",
    );
  const found = await authenticate(request);
  if (!found) return undefined;
  const role = Role.safeParse(found.role);
  if (typeof found.user !== "string" || found.user === "" || !role.success)
    throw new Error(`authenticate must give { user, role: ${Role.options.join(" | ")} }, or nothing.`);
  return { user: found.user, roleIn: (one) => (one === projectId ? role.data : undefined), refresh: async () => undefined };
}
