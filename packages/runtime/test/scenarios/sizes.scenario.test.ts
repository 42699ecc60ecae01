import { defineTool } from "@colloquy/runtime";
import { expect, test } from "vitest";
import { z } from "zod";
import { call, first, say, type Telling, type Told, world } from "@colloquy/testing/internals";

const WINDOW = 10_000;
const ROOM = 9_000;
const letters = (tokens: number) => "x".repeat(4 * tokens);
const long = defineTool({
  name: "long",
  description: "Gives much.",
  input: z.strictObject({ characters: z.number() }),
  reads: true,
  run: ({ characters }) => Array.from({ length: Math.ceil(characters / 8) }, (_, nth) => String(nth * 8).padStart(8, ".")).join(""),
});
const agents = (["tools", "text"] as const).map((asks, nth) => ({
  id: ["lead", "coder"][nth] ?? "",
  name: ["Lead", "Coder"][nth] ?? "",
  role: "You work.",
  tools: [long],
  default: nth === 0,
  asks,
}));
const play = (telling: Telling) => world({ telling, agents, contextWindow: WINDOW });
const lastResult = (request: { messages: readonly { role: string }[] } | undefined) =>
  request?.messages.findLast((message) => message.role === "result") as { output: string; failed: boolean } | undefined;

test("[N25] text too large for its reader is refused, with both sizes, and changes nothing", async () => {
  const w = await play({ lead: [call("askHuman", { tellaskContent: "Which?" }), say("ok")] });
  const message = `This is too long: about 9001 tokens, and Lead can read 9000 at once. Put it into a file of the project and name the file, or shorten it.`;
  await expect(w.project.dialogs.create({ content: letters(ROOM + 1) })).rejects.toMatchObject({ code: "too_large", message });
  expect(w.project.dialogs.list()).toEqual([]);
  const dialog = await w.project.dialogs.create({ content: "go" });
  await w.project.dialogs.quiet(dialog.id);
  const { seq } = await dialog.view();
  const question = first(await w.project.questions.list());
  await expect(dialog.send(letters(ROOM + 1))).rejects.toMatchObject({ code: "too_large", message });
  await expect(w.project.questions.answer(question.id, { content: letters(ROOM + 1) })).rejects.toMatchObject({ code: "too_large" });
  await expect(w.project.dialogs.addReminder(dialog.id, letters(ROOM / 4 + 1))).rejects.toMatchObject({ code: "too_large" });
  await expect(w.project.dialogs.clearMind(dialog.id, { reminder: letters(ROOM / 4 + 1) })).rejects.toMatchObject({ code: "too_large" });
  await expect(w.project.dialogs.changeMind(dialog.id, "goals", letters(ROOM / 4 + 1))).rejects.toMatchObject({ code: "too_large" });
  expect((await dialog.view()).seq).toBe(seq);
  await w.project.dialogs.addReminder(dialog.id, letters(ROOM / 4));
});

test.each<readonly [string, Told]>([
  ["an ask", call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: letters(ROOM + 1) })],
  ["a delegation", call("delegate", { delegations: [{ recipient: "coder", prompt: letters(ROOM + 1) }] })],
  ["a reminder", call("add_reminder", { content: letters(ROOM) })],
  ["a reminder with a cleared mind", call("clear_mind", { reminder_content: letters(ROOM) })],
  ["a section of the Taskdoc", call("change_mind", { selector: "goals", content: letters(ROOM) })],
])("[N25] an agent is told that %s is too long", async (_what, told) => {
  const w = await play({
    lead: [
      { ...told, usage: { input: 10, output: 10 } },
      { ...say("ok"), usage: { input: 10, output: 10 } },
    ],
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  expect(await dialog.result()).toBe("ok");
  expect(lastResult(w.requests.at(-1))).toMatchObject({ failed: true, output: expect.stringContaining("too long") });
  expect(await dialog.view()).toMatchObject({ course: 1, pending: [], reminders: [] });
});

test("[N26] a long result is cut to a quarter of the window, and read on in parts", async () => {
  const w = await play({
    lead: ({ messages }) => {
      const output = lastResult({ messages })?.output;
      const next = output === undefined ? undefined : /read_result (\{.*?\})/.exec(output)?.[1];
      if (output === undefined) return call("long", { characters: 24_000 });
      return next === undefined ? say("read") : { ...call("read_result", JSON.parse(next)), usage: { input: 10, output: 10 } };
    },
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  expect(await dialog.result()).toBe("read");
  const outputs = w.requests.at(-1)?.messages.flatMap((message) => (message.role === "result" ? [message.output] : [])) ?? [];
  expect(outputs[0]).toMatch(
    /^\.{7}0.*\n… cut here: 10000 of 24000 characters are shown\. Read the rest with read_result .*"from": 6667}\.\n.*23992$/s,
  );
  expect(outputs[1]).toMatch(/^Characters 6667 to 16667 of 24000\. Read on with read_result .*"from": 16667}\./);
  expect(outputs[2]).toMatch(/^Characters 16667 to 24000 of 24000\.\n.*23992$/s);
});

test("[N26] a result that was never cut can't be read on", async () => {
  const w = await play({ lead: [call("read_result", { call: "0".repeat(32) }), say("ok")] });
  await (await w.project.dialogs.create({ content: "go" })).result();
  expect(lastResult(w.requests.at(-1))).toMatchObject({ failed: true, output: expect.stringContaining("No long result is kept") });
});

test("[N27] a new course starts before unread text exceeds the limit", async () => {
  const w = await play({
    lead: ({ course, messages, tools }) => {
      if (tools.length === 0) return { ...say("We look at long things."), usage: { input: 10, output: 10 } };
      if (course === 2) return say("fresh");
      return {
        calls: [1, 2, 3, 4].map((nth) => ({ tool: "long", input: { characters: 9_000 + nth } })),
        usage: { input: 1_000 * messages.length, output: 0 },
      };
    },
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  expect(await dialog.result()).toBe("fresh");
  expect(await dialog.view()).toMatchObject({ course: 2, reminders: [{ content: "We look at long things." }] });
  const summary = w.requests.find((request) => request.tools.length === 0);
  expect(JSON.stringify(summary?.messages).length).toBeLessThan(8_000);
  expect(lastResult(summary)?.output).toMatch(/^\.{7}0.*…$/s);
});

test("[N29] the view says how full its agent's mind is", async () => {
  const w = await play({ lead: ({ course }) => ({ ...say("ok"), usage: { input: course === 1 ? 2_000 : 500, output: 500 } }) });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await dialog.result();
  expect((await dialog.view()).context).toEqual({ tokens: 2_500, window: WINDOW, share: 0.25, soft: 0.6, hard: 0.9 });
  expect((await dialog.view()).participants.lead).toMatchObject({ contextTokens: 2_500 });
  await w.project.dialogs.clearMind(dialog.id);
  expect((await dialog.view()).context).toMatchObject({ tokens: 0, share: 0 });
});

test("[N30] an agent without tools is not told to use them", async () => {
  let step = 0;
  const w = await play({ coder: () => ({ ...say("ok"), usage: { input: ++step === 1 ? 7_000 : 7_500, output: 0 } }) });
  const dialog = await w.project.dialogs.create({ content: "go", agent: "coder" });
  await dialog.result();
  await dialog.send("more");
  await dialog.result();
  expect(JSON.stringify(w.requests.at(-1)?.messages)).not.toContain("Your context is");
});
