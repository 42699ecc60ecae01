import { defineTool, type OpenCall, type Tool } from "@colloquy/runtime";
import { type DialogId, ROUTES, type Route } from "@colloquy/schema";
import { call, calls, say, type Telling, world } from "@colloquy/testing/internals";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { served, TOKEN } from "./support.ts";

const SEED = 20_261_116;
const REQUESTS = 1_000;

/** Awkward texts that real people write. */
const words = fc.constantFrom(
  ..."a|Yes|no|  |\n\n|\u0000|\ud83d|\u202eright to left|訂單|@coder do it|@human|!?@coder\n!?Why?|__proto__|../../etc|2026-01-01|12|-1|NaN|null".split(
    "|",
  ),
  "",
  '{"open_questions":["And?"]}',
  "long ".repeat(3_000),
);

/** Ids and names mostly refer to something that exists. */
const known: Readonly<Record<string, readonly unknown[]>> = {
  agentId: ["lead", "coder"],
  mentions: [["coder"], ["lead", "coder"], []],
  images: [[Buffer.from("89504e470d0a1a0a00000000", "hex").toString("base64")]],
  pattern: ["pay", "pay(*)", "*", "pay("],
};

/** Random values that match a schema. */
function fitting(schema: z.core.JSONSchema.BaseSchema): fc.Arbitrary<unknown> {
  const { type, properties = {}, required = [], anyOf, oneOf, items, enum: options, const: only } = schema;
  const either = anyOf ?? oneOf;
  if (either) return fc.oneof(...either.map((one) => fitting(one as typeof schema)));
  if (only !== undefined) return fc.constant(only);
  if (options) return fc.constantFrom(...options);
  if (type === "object") {
    const fields = Object.entries(properties).map(([name, one]) => {
      const any = fitting(one as typeof schema);
      return [name, known[name] ? fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...known[name]) }, any) : any] as const;
    });
    return fc.record(Object.fromEntries(fields), { requiredKeys: required });
  }
  if (type === "array") return fc.array(fitting((items ?? {}) as typeof schema), { maxLength: 3 });
  if (type === "boolean") return fc.boolean();
  if (type === "integer" || type === "number") return fc.constantFrom(0, 1, 2, -1, 1_000, Number.MAX_SAFE_INTEGER);
  if (type === "string") return schema.format === "date-time" ? fc.constantFrom("2026-01-01T00:00:00Z", "9999-12-31T23:59:59Z") : words;
  return fc.oneof(
    words,
    fc.constant({ to: "anna", cents: 5 }),
    fc.constant({ selector: "goals", content: "All." }),
    fc.constant({}),
    fc.constant(null),
  );
}

const pay = defineTool({
  name: "pay",
  description: "Pays.",
  input: z.strictObject({ to: z.string(), cents: z.number() }),
  approval: () => true,
  run: ({ to }) => `paid ${to}`,
});
const form: Tool = {
  ...defineTool({ name: "form", description: "Asks.", input: z.object({}), run: () => undefined }),
  run: async (_, { ask }: OpenCall) => (await ask({ message: "Which?", fields: [{ name: "n", kind: "number", required: true }] })).action,
};

test("[SV28] any valid input is accepted or refused, breaks no dialog, and replays from the log", async () => {
  let step = 0;
  const next = () => {
    step += 1;
    return [
      call("askHuman", { tellaskContent: "Which?", options: ["A", "B"] }),
      calls(["pay", { to: "bert", cents: 1 }]),
      say("So."),
      calls(["pay", { to: "cleo", cents: 2 }]),
      call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Do it." }),
      call("form", {}),
      call("change_mind", { selector: "goals", content: "All." }),
      say("Done."),
    ][step % 8] as ReturnType<typeof say>;
  };
  const telling: Telling = { lead: next, coder: () => (step % 3 === 0 ? call("askHuman", { tellaskContent: "How?" }) : say("Done so.")) };
  const agents = ["lead", "coder"].map((id) => ({ id, name: id, role: `You are the ${id}.`, tools: [pay, form], default: id === "lead" }));
  const w = await served(telling, { agents, files: new Map() });
  const routes = ROUTES.filter((route: Route) => route.body !== undefined && route.name !== "testModel");
  // Commands that end a dialog for good are rare.
  const seldom = new Set(["archive", "done", "dead"]);
  const weighed = routes.map((route) => ({ weight: seldom.has(route.name) ? 1 : 8, arbitrary: fc.constant<Route>(route) }));
  const requests = fc.sample(
    fc.oneof(...weighed).chain((route) =>
      fc.record({
        route: fc.constant(route),
        nth: fc.nat(1_000),
        body: fitting(z.toJSONSchema(route.body as z.ZodType, { io: "input", unrepresentable: "any" })),
      }),
    ),
    { numRuns: REQUESTS, seed: SEED },
  );
  const strange: string[] = [];
  let accepted = 0;
  for (const [n, { route, nth, body }] of requests.entries()) {
    while (w.project.dialogs.list({ status: "running" }).length < 4) await w.project.dialogs.create({ content: "Begin." });
    for (const { rootId } of w.project.dialogs.list()) await w.project.dialogs.quiet(rootId);
    const roots = w.project.dialogs.list().map(({ rootId }) => rootId);
    const questions = await w.project.questions.list();
    const isVerdict = route.name === "approve" || route.name === "deny";
    const fit = questions.filter(({ kind }) => nth % 9 === 0 || (kind === "approval") === isVerdict);
    const question = fit[nth % Math.max(fit.length, 1)];
    const some = (all: readonly string[]) => all[nth % Math.max(all.length, 1)] ?? "0".repeat(32);
    const ids: Readonly<Record<string, string>> = {
      pid: "shop",
      id: some(roots),
      qid: question?.id ?? "0".repeat(32),
      gid: some(w.project.grants.list().map(({ id }) => id)),
      rid: String(nth % 3),
      tid: some(w.project.tasks.list().map(({ id }) => id)),
    };
    const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(ids[name] ?? some(roots)));
    const said = {
      ...(body as object),
      ...(n % 7 > 0 && { msgId: `m${n}` }),
      ...(n % 5 > 0 && question && "shown" in (body as object) && route.path.includes(":qid") && { shown: question.shown }),
    };
    const response = await fetch(`${w.server.url}/api${path}`, {
      method: route.method,
      headers: { authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify(said),
    });
    const answer = (await response.json()) as { error?: { code: string } };
    if (response.ok) accepted += 1;
    else if (response.status >= 500 || answer.error?.code === undefined)
      strange.push(
        `${route.method} ${path} ${JSON.stringify(said).slice(0, 300)}: ${response.status} ${JSON.stringify(answer).slice(0, 300)}`,
      );
  }
  expect(strange).toEqual([]);
  expect(w.reports).toEqual([]);
  expect(accepted).toBeGreaterThan(REQUESTS / 5);
  const views = await Promise.all(w.project.dialogs.list().map(({ rootId }) => w.project.dialogs.view(rootId)));
  expect(views.filter(({ stopped }) => stopped?.code === "bug")).toEqual([]);
  const again = await world({
    telling,
    agents,
    disk: structuredClone({ ...w.disk, holder: undefined }),
    drive: "none",
    dir: "/projects/shop",
  });
  for (const { selfId, ...view } of views) {
    const { selfId: same, ...after } = await again.project.dialogs.view(selfId as DialogId as never);
    expect({ ...after, same }).toEqual({ ...view, same: selfId });
  }
});
