import { type Role, Refused } from "@colloquy/schema";
import { notFound } from "../http/problem.ts";
import type { ServedProject } from "../served-project.ts";
import type { Caller } from "../access/caller.ts";

/** Everything the API's handlers use. */
export interface Context {
  readonly version: string;
  readonly projects: () => readonly ServedProject[];
  readonly isStopping: () => boolean;
  /** Where the web app is served, if it is. */
  readonly pageUrl?: () => string;
  readonly report: (error: unknown) => void;
}

/** A request, parsed and checked against its route. */
export interface Asked<Query = unknown, Body = unknown> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  readonly request: Request;
  readonly context: Context;
  /** The body of a route that takes a file. */
  readonly file: () => AsyncIterable<Uint8Array>;
}

export function projectOf({ params, context, caller }: Pick<Asked, "params" | "context" | "caller">): ServedProject {
  const id = params.pid ?? "";
  const found = context.projects().find((one) => one.id === id);
  if (!found || caller.roleIn(id) === undefined) throw notFound(`There is no project "${id}" here.`);
  return found;
}

export function demand(caller: Caller, projectId: string, needs: Role, may: (role: Role, needs: Role) => boolean): void {
  const role = caller.roleIn(projectId);
  if (role === undefined || !may(role, needs))
    throw new Refused({
      code: "forbidden",
      message: `This needs the role ${needs}; you have ${role ?? "none"}.`,
    });
}
