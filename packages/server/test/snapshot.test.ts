import { applyAll, contextGauge, dialogView, emptyTree, REDUCER_VERSION, treeFrom } from "@colloquy/core";
import type { DialogSnapshot, DialogView, Recorded, RootId } from "@colloquy/schema";
import { call, calls, say } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { connect, served } from "./support.ts";

const P = "/projects/shop";

/** The view that a reader builds from a snapshot. */
function viewOf(snapshot: DialogSnapshot, selfId: string): DialogView | undefined {
  const { dialog, context } = snapshot;
  return dialogView(treeFrom(snapshot, dialog.rootId), selfId as never, {
    isDriven: false,
    atWork: () => undefined,
    sayings: new Map(snapshot.sayings),
    gauge: (run, agent) => contextGauge(run, context.windows[agent], context),
  });
}

test("[SV88] from a snapshot a reader can show every dialog of the tree as the server does", async () => {
  const agents = ["lead", "coder"].map((id) => ({ id, name: id, role: `You are the ${id}.`, default: id === "lead" }));
  const telling = {
    lead: [
      calls(["tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Which one?" }], ["askHuman", { tellaskContent: "And you?" }]),
    ],
    coder: [call("askHuman", { tellaskContent: "Red or blue?" })],
  };
  const { project, api } = await served(telling, { agents });
  const { id } = await project.dialogs.create({ content: "Go", msgId: "m1" });
  await project.dialogs.quiet(id);
  const { body: tree } = await api("GET", `${P}/dialogs/${id}/tree`);
  const { body } = await api("GET", `${P}/dialogs/${id}/snapshot`);
  const snapshot: DialogSnapshot = body;
  expect(snapshot.reducer).toBe(REDUCER_VERSION);
  expect(tree.children).toHaveLength(1);
  for (const { selfId } of [tree, ...tree.children]) {
    expect(viewOf(snapshot, selfId)).toEqual((await api("GET", `${P}/dialogs/${selfId}`)).body);
  }
  expect(JSON.stringify(snapshot.state)).not.toContain("m1");
});

test("[SV88] folding from a snapshot gives the same tree as folding the whole log", async () => {
  const { project, api } = await served({ lead: [call("askHuman", { tellaskContent: "Which one?" }), say("Fine.")] });
  const { id } = await project.dialogs.create({ content: "Go" });
  await project.dialogs.quiet(id);
  const { body: before } = await api("GET", `${P}/dialogs/${id}/snapshot`);
  const [question] = await project.questions.list();
  await project.questions.answer(question?.id ?? "", "This one");
  await project.dialogs.quiet(id);
  const { body: after } = await api("GET", `${P}/dialogs/${id}/snapshot`);
  const { body: whole } = await api("GET", `${P}/dialogs/${id}/events`);
  const fold = (tree: ReturnType<typeof emptyTree>, events: readonly Recorded[]) =>
    events.reduce((state, { event, at }) => applyAll(state, [event], Date.parse(at)), tree);
  const news = whole.events.filter(({ seq }: Recorded) => seq > before.seq);
  const seen = {
    isDriven: false,
    atWork: () => undefined,
    sayings: new Map(),
    gauge: () => contextGauge(undefined, undefined, after.context),
  };
  const expected = dialogView(treeFrom(after, id as RootId), id as never, seen);
  expect(dialogView(fold(treeFrom(before, id as RootId), news), id as never, seen)).toEqual(expected);
  expect(dialogView(fold(emptyTree(id as RootId), whole.events), id as never, seen)).toEqual(expected);
});

test("[SV88] a snapshot includes the newest events and the position to resume from", async () => {
  const { project, api } = await served({ lead: [say("One."), say("Two.")] });
  const { id } = await project.dialogs.create({ content: "Go" });
  await project.dialogs.quiet(id);
  const { body } = await api("GET", `${P}/dialogs/${id}/snapshot?limit=2`);
  const seqs = body.events.map(({ seq }: Recorded) => seq);
  expect(seqs).toEqual([body.seq - 1, body.seq]);
  const { body: older } = await api("GET", `${P}/dialogs/${id}/events?before=${body.next}&limit=1000`);
  expect(older.events.map(({ seq }: Recorded) => seq)).toEqual(Array.from({ length: body.seq - 2 }, (_, nth) => nth + 1));
  const unknown = await api("GET", `${P}/dialogs/nobody/snapshot`);
  expect(unknown.status).toBe(404);
});

test("[SV89] every change of a question is sent with the whole question", async () => {
  const { project, server } = await served({
    lead: [call("askHuman", { tellaskContent: "Which one?\nAmong these." }), say("The red one."), say("Fine.")],
  });
  const client = await connect(server.url);
  await client.send({ type: "subscribe", project: "shop" });
  const { id } = await project.dialogs.create({ content: "Go" });
  await project.dialogs.quiet(id);
  const [question] = await project.questions.list();
  const qid = question?.id ?? "";
  await project.questions.askBack(qid, "Which ones are there?");
  await project.dialogs.quiet(id);
  await project.questions.answer(qid, "This one");
  await project.dialogs.quiet(id);
  await client.next((one) => one.type === "dialog.updated" && one.pos === project.health().pos);
  const told = client.of("question.updated").map((one) => one.question);
  expect(new Set(told.map((one) => `${one.id} ${one.headline} ${one.text}`))).toEqual(new Set([`${qid} Which one? Among these.`]));
  expect(told.at(0)).toMatchObject({ status: "open", thread: [] });
  expect(told.at(-1)).toEqual(await project.questions.get(qid));
  expect(told.length).toBeGreaterThanOrEqual(3);
});

test("[SV90] a project's counts are sent when they change, and after a replay", async () => {
  const { project, server } = await served({ lead: [call("askHuman", { tellaskContent: "Which one?" }), say("Fine.")] });
  const client = await connect(server.url);
  await client.send({ type: "subscribe", project: "shop" });
  const { id } = await project.dialogs.create({ content: "Go" });
  await project.dialogs.quiet(id);
  await client.next((one) => one.type === "project.updated" && one.questions === 1 && one.running === 0);
  const [question] = await project.questions.list();
  await project.questions.answer(question?.id ?? "", "This one");
  await project.dialogs.quiet(id);
  await client.next((one) => one.type === "dialog.updated" && one.pos === project.health().pos);
  const numbers = ({ questions, running }: { questions: number; running: number }) => `${questions} ${running}`;
  const told = client.of("project.updated").map(numbers);
  expect(told.every((one, nth) => one !== told[nth - 1])).toBe(true);
  const late = await connect(server.url);
  await late.send({ type: "subscribe", project: "shop", after: 0 });
  await late.next((one) => one.type === "project.updated");
  expect(late.of("project.updated").map(numbers)).toEqual(["0 0"]);
});
