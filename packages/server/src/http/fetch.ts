import type { Project } from "@colloquy/library";
import { Role } from "@colloquy/schema";
import { demandOrigin } from "../access/access.ts";
import { apiHandler, demandJson, type Handler, problemResponse } from "../api/handler.ts";
import type { Caller } from "../access/caller.ts";
import { SECURITY_HEADERS } from "./headers.ts";
import { Problem, problemOf } from "./problem.ts";
import { projectIds, ServedProject } from "../served-project.ts";

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
  /** Other origins whose pages may change something, such as `https://app.example.com`. Pages of the request's own host always may. */
  readonly origins?: readonly string[] | undefined;
  readonly version: string;
  readonly report: (message: string) => void;
}

/** The whole HTTP API of one project as a function of web standards, for whoever has a server already. */
export function projectFetch(project: Project, options: FetchOptions): (request: Request) => Promise<Response> {
  const { basePath = "/api", authenticate, origins = [], version } = options;
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
      demandOwnPage(request, origins);
      return secured(await handle(request, await callerOf(request, id, authenticate)));
    } catch (error) {
      return secured(problemResponse(problemOf(error, report)));
    }
  };
}

/**
 * The program around us may know people by a cookie, which their browsers also send for pages of others. So a change must come from a
 * page of this host or of one that is allowed, as JSON. Programs that are no browsers send no origin.
 */
function demandOwnPage({ method, headers, url }: Request, origins: readonly string[]): void {
  if (method === "GET" || method === "HEAD") return;
  const origin = headers.get("origin") ?? undefined;
  demandOrigin(origin, headers.get("host") ?? new URL(url).host, origins);
  if (origin === undefined && headers.get("sec-fetch-site") === "cross-site")
    throw new Problem("wrong_origin", "Pages of other sites may not use this server.");
  const hasBody = Number(headers.get("content-length") ?? 0) > 0 || headers.has("transfer-encoding");
  demandJson(method, headers.get("content-type") ?? (hasBody ? "" : undefined));
}

function secured(response: Response): Response {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.headers.set(name, value);
  return response;
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
