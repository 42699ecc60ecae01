import { memoryBacking } from "@colloquy/store";
import { expect, test } from "vitest";
import { call, say, type Telling, type Told, world } from "@colloquy/testing/internals";

const agents = ["lead", "coder"].map((id) => ({ id, name: id, role: `You are the ${id}.`, tools: [], default: id === "lead" }));
const cut = (text: string): Told => ({ say: text, cut: true });
const play = (telling: Telling) => world({ telling, agents });
const stepsOf = async (w: Awaited<ReturnType<typeof play>>, id: Parameters<typeof w.events>[0]) =>
  (await w.events(id)).flatMap((event) => (event.type === "step.ended" ? [event] : []));

test("[S19] a reply that is cut off is continued, and its pieces are one answer", async () => {
  const w = await play({
    lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Write it" }), say("Got it.")],
    coder: [cut("The answer is "), cut("forty"), say("-two.")],
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  expect(await dialog.result()).toBe("Got it.");
  const answer = (await w.events(dialog.id)).find((event) => event.type === "ask.answered");
  expect(answer).toMatchObject({ content: "The answer is forty-two." });
  const coder = (await stepsOf(w, dialog.id)).filter(({ agent }) => agent === "coder");
  expect(coder.map(({ finish, ends }) => [finish, ends])).toEqual([
    ["length", undefined],
    ["length", undefined],
    [undefined, true],
  ]);
  expect(JSON.stringify(w.requests.findLast(({ agent }) => agent === "coder")?.messages)).toContain("Continue exactly where it stopped");
});

test("[S19] the result of a main dialog is the joined reply, also after a restart in between", async () => {
  const disk = memoryBacking();
  const telling: Telling = { lead: [cut("One, two, "), say("three.")] };
  const before = await world({ telling, agents, disk, drive: "none" });
  const { id } = await before.project.dialogs.create({ content: "Count" });
  await before.project.close();
  const after = await world({ telling, agents, disk });
  expect(await after.project.dialogs.result(id)).toBe("One, two, three.");
});

test("[S19] a partial ask in a cut reply is not asked; the completed one is", async () => {
  const w = await play({ lead: [cut('{"open_questions": ["Which'), say(' one?"]}'), say("That one.")] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await w.project.dialogs.quiet(dialog.id);
  expect((await w.project.questions.list()).map(({ headline }) => headline)).toEqual(["Which one?"]);
});

test("[S19] after repeated cuts a person is asked", async () => {
  const w = await play({ lead: () => cut("More and ") });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await w.project.dialogs.quiet(dialog.id);
  expect((await dialog.view()).stopped).toMatchObject({ code: "output_cut" });
  expect(w.requests).toHaveLength(4);
  expect(await w.project.questions.list()).toMatchObject([{ kind: "fault" }]);
});
