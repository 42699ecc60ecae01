import type { Project } from "@colloquy/library";
import { Role, Refused } from "@colloquy/schema";
import { demandOrigin } from "../access/access.ts";
import { apiHandler, demandJson, type Handler, problemResponse } from "../api/handler.ts";
import type { Caller } from "../access/caller.ts";
import { SECURITY_HEADERS } from "./headers.ts";
import { problemOf } from "./problem.ts";
import { projectIds, ServedProject } from "../served-project.ts";

/** The sender of a request as the host program knows them, by a session, token or client certificate. */
export interface User {
  /** The name on their answers and messages. */
  readonly user: string;
  readonly role: Role;
}

export interface FetchOptions {
  /** The prefix before `/projects`, including the host program's own unless its router strips it. */
  readonly basePath?: string | undefined;
  /** Required: without it, every request is refused. */
  readonly authenticate?: ((request: Request) => Promise<User | undefined> | User | undefined) | undefined;
  /** Other origins whose pages may change something, such as `https://app.example.com`. Pages of the request's own host always may. */
  readonly origins?: readonly string[] | undefined;
  readonly version: string;
  readonly report: (message: string) => void;
}

/** The HTTP API of one project as a function from `Request` to `Response`, for programs with a server of their own. */
export function projectFetch(project: Project, options: FetchOptions): (request: Request) => Promise<Response> {
  const { basePath = "/api", authenticate, origins = [], version } = options;
  const report = (error: unknown) => options.report(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const [id = "project"] = projectIds([project.dir]);
  let opened: Promise<Handler> | undefined;
  const open = async (): Promise<Handler> => {
    const served = await ServedProject.open(id, project, { report });
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
 * The host program may identify people by a cookie, which browsers also send from pages of other sites. So a change must be JSON and
 * come from a page of this host or an allowed origin. Programs other than browsers send no origin.
 */
function demandOwnPage({ method, headers, url }: Request, origins: readonly string[]): void {
  if (method === "GET" || method === "HEAD") return;
  const origin = headers.get("origin") ?? undefined;
  demandOrigin(origin, headers.get("host") ?? new URL(url).host, origins);
  if (origin === undefined && headers.get("sec-fetch-site") === "cross-site")
    throw new Refused({ code: "wrong_origin", message: "Pages of other sites may not use this server." });
  const hasBody = Number(headers.get("content-length") ?? 0) > 0 || headers.has("transfer-encoding");
  demandJson(method, headers.get("content-type") ?? (hasBody ? "" : undefined));
}

function secured(response: Response): Response {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.headers.set(name, value);
  return response;
}

async function callerOf(request: Request, projectId: string, authenticate: FetchOptions["authenticate"]): Promise<Caller | undefined> {
  if (!authenticate)
    throw new Refused({
      code: "unauthorized",
      message: "Every request is refused: pass authenticate(request) to openProject; it returns the user and their role.",
    });
  const found = await authenticate(request);
  if (!found) return undefined;
  const role = Role.safeParse(found.role);
  if (typeof found.user !== "string" || found.user === "" || !role.success)
    throw new Error(`authenticate must give { user, role: ${Role.options.join(" | ")} }, or nothing.`);
  const { user } = found;
  return { user, nameIn: () => user, roleIn: (one) => (one === projectId ? role.data : undefined), refresh: async () => undefined };
}
