import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, say, type World, world } from "@colloquy/testing/internals";
import { defineTool } from "@colloquy/runtime";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const look = (takes = "at") =>
  defineTool({
    name: "look",
    description: "Looks.",
    input: z.strictObject({ [takes]: z.string().optional() }),
    reads: true,
    run: () => "seen",
  });
const askHuman = call("askHuman", { tellaskContent: "Red or blue?", options: ["Red", "Blue"] });
const telling = { lead: [askHuman, say("Painted."), say("Again.")] };

interface Defined {
  readonly role?: string;
  readonly pin?: "strict";
  readonly tools?: readonly ReturnType<typeof look>[];
}

/** A project whose agent waits for an answer, and the next process that has it. */
async function start({ role = "You paint.", pin, tools = [look()] }: Defined, before?: World) {
  const dir = mkdtempSync(join(tmpdir(), "pins-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "colloquy.yaml"), "language: en\n");
  const agents = [{ id: "lead", name: "Lead", role, tools, default: true, ...(pin && { pin }) }];
  await before?.project.close();
  const w = await world({ telling, agents, dir, ...(before && { disk: before.disk }) });
  await w.project.takeUp();
  return w;
}
async function waiting(defined: Defined) {
  const w = await start(defined);
  const { id } = await w.project.dialogs.create({ content: "Paint the door", by: "anna" });
  await w.project.dialogs.quiet(id);
  return { w, id };
}
type Root = Parameters<World["events"]>[0];
const open = (w: World) => w.project.questions.list();
async function answer(w: World, id: Root, choice: string | number) {
  const question = (await open(w)).find(({ dialog }) => dialog.rootId === id);
  await w.project.questions.answer(question?.id ?? "", { choice, by: "anna" });
  await w.project.dialogs.quiet(id);
}
const of = async <Type extends string>(w: World, id: Root, type: Type) =>
  (await w.events(id)).filter((event) => event.type === (type as string));
const headlines = async (w: World) => (await open(w)).map(({ text }) => text);
const ASKS = "Lead was changed while it waited: its role. It is pinned, so it has not continued.";

test("[PN1][PN2] a turn that continues under another definition says what changed, to people alone", async () => {
  const { w, id } = await waiting({});
  const [first] = (await of(w, id, "step.ended")) as readonly { readonly definition?: Record<string, string> }[];
  expect(Object.keys(first?.definition ?? {})).toEqual(["role", "tools", "schemas", "model"]);
  const next = await start({ role: "You paint well.", tools: [look("place")] }, w);
  await answer(next, id, "Red");
  expect(await of(next, id, "definition.changed")).toMatchObject([{ agent: "lead", parts: ["role", "schemas"] }]);
  const steps = (await of(next, id, "step.ended")) as readonly { readonly definition?: object }[];
  expect(steps).toHaveLength(2);
  expect(steps[1]?.definition).toBeDefined();
  expect(JSON.stringify(next.requests.at(-1)?.messages)).not.toContain("changed");
  // A new turn begins with the definition of that moment.
  const third = await start({ role: "You paint better." }, next);
  await third.project.dialogs.send(id, { content: "More.", by: "anna" });
  await third.project.dialogs.quiet(id);
  expect(await of(third, id, "definition.changed")).toHaveLength(1);
  await third.project.close();
});

test("[PN1] steps under the same definition record it once", async () => {
  const { w, id } = await waiting({});
  const next = await start({}, w);
  await answer(next, id, "Red");
  const steps = (await of(next, id, "step.ended")) as readonly { readonly definition?: object }[];
  expect(steps.map(({ definition }) => definition !== undefined)).toEqual([true, false]);
  expect(await of(next, id, "definition.changed")).toEqual([]);
  await next.project.close();
});

test("[PN3][PN4] a pinned agent asks before it continues, and asks again if it changes once more", async () => {
  const { w, id } = await waiting({ pin: "strict" });
  const next = await start({ pin: "strict", role: "You paint well." }, w);
  await answer(next, id, "Red");
  expect(await headlines(next)).toEqual([ASKS]);
  expect((await next.project.dialogs.view(id)).stopped).toMatchObject({ code: "definition_changed" });
  const third = await start({ pin: "strict", role: "You paint even better." }, next);
  await answer(third, id, "Continue with the new definition");
  expect(await headlines(third)).toEqual([ASKS]);
  await answer(third, id, "Continue with the new definition");
  expect(await third.project.dialogs.lastReply(id)).toBe("Painted.");
  expect(await headlines(third)).toEqual([]);
  await third.project.close();
});

test("[PN4] if the definition is as before again, nobody is asked", async () => {
  const { w, id } = await waiting({ pin: "strict" });
  const next = await start({ pin: "strict", role: "You paint well." }, w);
  await answer(next, id, "Red");
  const back = await start({ pin: "strict" }, next);
  await back.project.dialogs.resume(id, { by: "anna" });
  await back.project.dialogs.quiet(id);
  expect(await back.project.dialogs.lastReply(id)).toBe("Painted.");
  await back.project.close();
});

test("[PN3] it may be left stopped, or given up", async () => {
  const { w, id } = await waiting({ pin: "strict" });
  const next = await start({ pin: "strict", role: "You paint well." }, w);
  await answer(next, id, "Red");
  await answer(next, id, "Leave it stopped");
  expect(await headlines(next)).toEqual([]);
  expect((await next.project.dialogs.view(id)).state).toBe("stopped");
  await next.project.dialogs.resume(id, { by: "anna" });
  await next.project.dialogs.quiet(id);
  expect(await next.project.dialogs.lastReply(id)).toBe("Painted.");
  await next.project.close();
});

test("[PN3][PN5] a copy tries the new definition while the original stays stopped; the same answer makes one copy", async () => {
  const { w, id } = await waiting({ pin: "strict" });
  const next = await start({ pin: "strict", role: "You paint well." }, w);
  await answer(next, id, "Red");
  const [question] = await open(next);
  const give = () => next.project.questions.answer(question?.id ?? "", { choice: 2, by: "anna", msgId: "m1" });
  await give();
  await give();
  const copies = next.project.dialogs.list().filter(({ rootId }) => rootId !== id);
  expect(copies).toHaveLength(1);
  const [copy] = copies;
  if (!copy) throw new Error("There is no copy.");
  await answer(next, copy.rootId, "Continue with the new definition");
  expect(await next.project.dialogs.lastReply(copy.rootId)).toBe("Painted.");
  expect((await next.project.dialogs.view(id)).state).toBe("stopped");
  await next.project.close();
});
