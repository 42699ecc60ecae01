import { type queries, Refused } from "@colloquy/schema";
import type { z } from "zod";
import { notFound } from "../http/problem.ts";
import { type Asked, projectOf } from "./context.ts";
import { signedBy } from "./dialogs.ts";

export const health = ({ context, caller }: Asked) => {
  const refusing = context.projects().flatMap(({ project }) => project.health().refusing ?? [])[0];
  const status = context.isStopping() ? ("stopping" as const) : refusing === undefined ? ("ok" as const) : ("refusing" as const);
  const reports = context.projects().map(({ project }) => project.healthReport());
  const sum = (number: (report: (typeof reports)[number]) => number) => reports.reduce((total, one) => total + number(one), 0);
  const ends = reports.flatMap(({ at }) => at ?? []);
  const checked = {
    trees: sum(({ trees }) => trees),
    findings: sum(({ findings }) => findings.length),
    ...(ends.length > 0 && { at: new Date(Math.min(...ends)).toISOString() }),
  };
  const mine = context.projects().filter(({ id }) => caller.roleIn(id) !== undefined);
  const findings = mine.flatMap(({ project }) => project.healthReport().findings);
  return {
    status,
    version: context.version,
    ...(refusing !== undefined && { why: refusing }),
    checked,
    ...(findings.length > 0 && { findings }),
  };
};

export const me = ({ caller, context }: Asked) => {
  const [first] = context.projects().flatMap(({ id }) => caller.roleIn(id) ?? []);
  return { user: caller.user, role: first ?? "viewer" };
};

export const nodes = async ({ caller, context }: Asked) => {
  const mine = context.projects().filter(({ id }) => caller.roleIn(id) !== undefined);
  return { nodes: (await Promise.all(mine.map(({ project }) => project.nodes()))).flat() };
};

export const projects = ({ caller, context }: Asked) =>
  context
    .projects()
    .filter(({ id }) => caller.roleIn(id) !== undefined)
    .map((one) => one.row());

export const locate = async ({ caller, context, query }: Asked<z.output<typeof queries.LocateQuery>>) => {
  const found = [];
  for (const { id, project } of context.projects()) {
    if (caller.roleIn(id) !== undefined) found.push(...(await project.locate(query.id)).map((one) => ({ id, project, one })));
  }
  const [first, another] = found;
  if (!first) throw notFound(`There is no dialog or question "${query.id}".`);
  if (another)
    throw new Refused({ code: "ambiguous", message: `"${query.id}" fits ${found.length} dialogs and questions. Give more digits.` });
  const { id, project, one } = first;
  if (one.kind === "dialog") return { project: id, dialog: { rootId: one.rootId, selfId: one.selfId }, page: `/d/${one.selfId}` };
  const { dialog } = await project.questions.get(one.question);
  return { project: id, dialog, questionId: one.question, page: `/q/${one.question}` };
};

export const grants = (asked: Asked) => ({
  grants: projectOf(asked)
    .project.grants.list()
    .map(({ id, pattern, until, by, at, rootId, dialog }) => ({
      id,
      pattern,
      ...(rootId !== undefined && { rootId }),
      ...(dialog !== undefined && { dialog }),
      by,
      at: new Date(at).toISOString(),
      ...(until !== undefined && { until: new Date(until).toISOString() }),
    })),
});

export const revokeGrant = async (asked: Asked) => {
  await projectOf(asked).project.grants.revoke(asked.params.gid ?? "", signedBy(asked));
  return {};
};

export const settings = (asked: Asked) => projectOf(asked).project.settings();

export const allowServer = async (asked: Asked) => {
  await projectOf(asked).project.allowServer(asked.params.name ?? "");
  return {};
};

export const memory = async (asked: Asked) => ({ documents: await projectOf(asked).project.memory() });

export const usage = async (asked: Asked<z.output<typeof queries.UsageQuery>>) => ({
  by: asked.query.by,
  ...(await projectOf(asked).project.usage(asked.query.by)),
});

export const search = (asked: Asked<z.output<typeof queries.SearchQuery>>) =>
  projectOf(asked).project.search(asked.query.q, { limit: asked.query.limit });

export const files = async (asked: Asked<z.output<typeof queries.FilesQuery>>) => ({
  files: await projectOf(asked).project.files(asked.query.q, asked.query.limit),
});

export const testModel = async (asked: Asked) => {
  const {
    ok,
    message,
    callsTools,
    ms,
    usage: spent,
  } = await projectOf(asked).project.testModel(asked.params.name ?? "", asked.request.signal);
  return { ok, message, callsTools, ms, ...(spent && { usage: spent }) };
};
