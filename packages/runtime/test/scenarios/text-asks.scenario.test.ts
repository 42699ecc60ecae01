import type { ModelMessage } from "@colloquy/schema";
import { expect, test } from "vitest";
import { first, say, world } from "@colloquy/testing/internals";

const agents = [
  { id: "lead", name: "Lead", role: "You lead.", asks: "text" as const, default: true },
  { id: "coder", name: "Coder", role: "You code.", asks: "text" as const },
];
const textsOf = (messages: readonly ModelMessage[]) =>
  messages.map((one) => (one.role === "assistant" ? "assistant" : "text" in one ? one.text : one.output));

test("[X32] a model without tools asks in its text; the answer comes as a message, and no call is ever sent back", async () => {
  const w = await world({
    telling: { lead: [say("I will ask.\n!?@coder Write it\n!?with tabs\n\nMore words."), say("Thanks.")], coder: [say("Written.")] },
    agents,
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  expect(await dialog.result()).toBe("Thanks.");
  const request = w.requests.findLast((one) => one.agent === "lead");
  expect(request?.tools).toEqual([]);
  expect(request?.system.join("\n")).toContain("!?@human asks a person");
  expect(request?.messages.map((message) => message.role)).toEqual(["user", "assistant", "system"]);
  expect(JSON.stringify(request?.messages)).not.toContain('"call"');
  expect(textsOf(request?.messages ?? []).at(-1)).toBe('[System]: Coder, in answer to "Write it":\n【最终完成】\nWritten.');
  expect(w.requests.find((one) => one.agent === "coder")?.messages[0]).toMatchObject({
    text: expect.stringMatching(/Write it\nwith tabs$/),
  });
});

test("[X32] asking a person, asking back and a session work the same way", async () => {
  const w = await world({
    telling: {
      lead: [say("!?@coder !tellaskSession db Design it"), say("Use tabs."), say("Done.")],
      coder: [say("!?@tellasker Tabs or spaces?"), say("!?@human Which database?\n!?For orders."), say("Designed.")],
    },
    agents,
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await w.project.dialogs.quiet(dialog.id);
  const question = first(await w.project.questions.list());
  expect(question).toMatchObject({ headline: "Which database?", text: "For orders." });
  await w.project.questions.answer(question.id, { content: "PostgreSQL", by: "anna" });
  expect(await dialog.result()).toBe("Done.");
  expect((await dialog.view()).sessions).toMatchObject([{ agentId: "coder", slug: "db" }]);
});

test("[X33] an unreadable ask is reported to the model", async () => {
  const w = await world({ telling: { lead: [say("!?@coder"), say("Sorry.")] }, agents });
  const dialog = await w.project.dialogs.create({ content: "go" });
  expect(await dialog.result()).toBe("Sorry.");
  expect(textsOf(w.requests.at(-1)?.messages ?? []).at(-1)).toMatch(/coder/);
});
