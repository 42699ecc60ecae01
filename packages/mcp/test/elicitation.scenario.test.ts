import { join } from "node:path";
import { call, calls, say, type Telling } from "@colloquy/testing/internals";
import { describe, expect, test } from "vitest";
import { diaryOf, everything, folder, modern, open, type Opened, small } from "./support.ts";

const asked = async ({ project }: Opened) => {
  const questions = await project.questions.list();
  return questions.toSorted((a, b) => a.headline.localeCompare(b.headline));
};

test("[MC13] a real server asks: the form is shown, wrong answers are refused, the right one reaches it", async () => {
  const opened = await open({
    servers: { everything },
    tools: ["everything__trigger-elicitation-request"],
    telling: { lead: [call("everything__trigger-elicitation-request"), say("Done.")] },
  });
  const { project, results } = opened;
  const dialog = await project.dialogs.create({ content: "Ask me" });
  await project.dialogs.quiet(dialog.id);
  const [question] = await asked(opened);
  expect(question).toMatchObject({ kind: "question", headline: "Please provide inputs for the following fields:" });
  expect(question?.fields).toHaveLength(13);
  const id = question?.id ?? ("" as never);
  await expect(project.questions.answer(id, { content: "name: Anna\nemail: nowhere" })).rejects.toMatchObject({ code: "bad_answer" });
  await project.questions.answer(id, {
    content: "name: Anna\ncheck: yes\nlegacyTitledEnum: Dogs\nuntitledMultipleSelectEnum: Piano, Bass",
  });
  expect(await dialog.result()).toBe("Done.");
  const [ended] = await results(dialog.id);
  expect(ended?.output).toContain("- Name: Anna");
  expect(ended?.output).toContain('"legacyTitledEnum": "pet-2"');
  expect(ended?.output).toMatch(/"Piano",\s+"Bass"/);
});

test.each([
  ["dismissed", "❌ User declined"],
  ["withdrawn", "cancelled"],
])("[MC13] a question that is %s", async (how, words) => {
  const opened = await open({
    servers: { everything },
    tools: ["everything"],
    telling: {
      lead: ({ course, messages }) =>
        course === 1 && messages.length === 1 ? call("everything__trigger-elicitation-request") : say("Done."),
    },
  });
  const { project, results } = opened;
  const dialog = await project.dialogs.create({ content: "Ask me" });
  await project.dialogs.quiet(dialog.id);
  const [question] = await asked(opened);
  if (how === "dismissed") await project.questions.dismiss(question?.id ?? ("" as never));
  else await project.dialogs.clearMind(dialog.id);
  expect(await dialog.result()).toBe("Done.");
  expect((await results(dialog.id))[0]?.output).toContain(words);
});

test("[MC13] an address to visit is shown; a server that requires the visit first is called again afterwards", async () => {
  const input = { url: "https://example.com/sign-in", message: "Please sign in", errorPath: true };
  const opened = await open({
    servers: { everything },
    tools: ["everything"],
    telling: { lead: [call("everything__trigger-url-elicitation", input), say("Done.")] },
  });
  const { project, results } = opened;
  const dialog = await project.dialogs.create({ content: "Sign in" });
  await project.dialogs.quiet(dialog.id);
  const [first] = await asked(opened);
  expect(first?.text).toContain("https://modelcontextprotocol.io");
  await project.questions.answer(first?.id ?? ("" as never), { choice: ["Accept"] });
  await project.dialogs.quiet(dialog.id);
  const [second] = await asked(opened);
  expect(second).toMatchObject({ headline: "Please sign in", text: expect.stringContaining("https://example.com/sign-in") });
  await project.questions.answer(second?.id ?? ("" as never), { choice: ["Accept"] });
  expect(await dialog.result()).toBe("Done.");
  expect((await results(dialog.id))[0]?.output).toContain('"action": "accept"');
});

test("[MC14] two dialogs use a server at once: each is asked its own question", async () => {
  const diary = join(folder(), "diary");
  const opened = await open({
    servers: { small: small("asks", diary) },
    tools: ["small"],
    telling: {
      lead: ({ messages }) =>
        messages.length === 1 ? call("small__pay", { to: JSON.stringify(messages[0]).includes("Anna") ? "Anna" : "Ben" }) : say("Done."),
    },
  });
  const { project, results } = opened;
  const anna = await project.dialogs.create({ content: "Pay Anna" });
  await project.dialogs.quiet(anna.id);
  const ben = await project.dialogs.create({ content: "Pay Ben" });
  await project.dialogs.quiet(ben.id);
  const [toAnna, toBen] = await asked(opened);
  expect(toAnna).toMatchObject({ headline: "Really pay Anna?", dialog: { rootId: anna.id } });
  expect(toBen).toMatchObject({ headline: "Really pay Ben?", dialog: { rootId: ben.id } });
  await project.questions.answer(toBen?.id ?? ("" as never), { choice: ["No"] });
  await ben.result();
  await project.questions.answer(toAnna?.id ?? ("" as never), { choice: ["Yes"] });
  await anna.result();
  expect((await results(ben.id))[0]?.output).toContain('"sure":false');
  expect(diaryOf(diary).filter((line) => line.startsWith("paid"))).toEqual(["paid Anna"]);
});

test("[MC14] if the asking dialog is ambiguous, nobody is asked", async () => {
  const diary = join(folder(), "diary");
  const opened = await open({
    servers: { small: small("asks", diary) },
    tools: ["small"],
    telling: { lead: [calls(["small__look", { to: "Anna" }], ["small__look", { to: "Ben" }]), say("Done.")] },
  });
  const { project } = opened;
  const dialog = await project.dialogs.create({ content: "Look at both" });
  await expect.poll(async () => (await asked(opened)).length).toBe(1);
  const [question] = await asked(opened);
  await project.questions.answer(question?.id ?? ("" as never), { choice: ["Yes"] });
  expect(await dialog.result()).toBe("Done.");
  const answers = diaryOf(diary).filter((line) => line.startsWith("answer"));
  expect(answers.toSorted()).toEqual(['answer {"action":"accept","content":{"sure":true}}', 'answer {"action":"cancel"}']);
});

describe("another process takes over while a person thinks", () => {
  const stubborn: Telling = {
    lead: ({ messages }) => {
      const last = messages.at(-1);
      return last?.role === "result" && !last.output.includes("unknown") ? say("Done.") : call("small__pay", { to: "Anna" });
    },
  };

  test("[MC13][TQ7] a call that may not be repeated is unknown; made again, it gets the answer without asking twice", async () => {
    const diary = join(folder(), "diary");
    const dir = folder();
    const setting = { dir, servers: { small: small("asks", diary) }, tools: ["small"], telling: stubborn };
    const first = await open(setting);
    const { id } = await first.project.dialogs.create({ content: "Pay Anna" });
    await first.project.dialogs.quiet(id);
    await first.project.close();

    const second = await open(setting);
    const [question] = await asked(second);
    await second.project.questions.answer(question?.id ?? ("" as never), { choice: ["Yes"] });
    expect(await second.project.dialogs.result(id)).toBe("Done.");
    const [unknown, done] = await second.results(id);
    expect(unknown).toMatchObject({ outcome: "unknown", output: expect.stringContaining('"Really pay Anna?"') });
    expect(done?.output).toContain('"sure":true');
    expect(await second.project.questions.list({ all: true })).toHaveLength(1);
    expect(diaryOf(diary).filter((line) => line.startsWith("paid"))).toEqual(["paid Anna"]);
  });

  test("[MC15] a server of the newer protocol continues with its own state, and nothing is repeated", async () => {
    const diary = join(folder(), "diary");
    const dir = folder();
    const telling: Telling = { lead: [call("modern__order", { what: "tea" }), say("Done.")] };
    const setting = { dir, servers: { modern: modern(diary) }, tools: ["modern"], telling };
    const first = await open(setting);
    const { id } = await first.project.dialogs.create({ content: "Order tea" });
    await first.project.dialogs.quiet(id);
    await first.project.close();

    const second = await open(setting);
    const [question] = await asked(second);
    expect(question).toMatchObject({ headline: "Which size of tea?", options: [{ label: "small" }, { label: "large" }] });
    await second.project.questions.answer(question?.id ?? ("" as never), { choice: ["large"] });
    expect(await second.project.dialogs.result(id)).toBe("Done.");
    expect((await second.results(id)).map(({ output }) => output)).toEqual(["ordered a large tea"]);
    expect(diaryOf(diary)).toEqual(["called tea -", "called tea state of tea", "ordered large tea"]);
  });

  test("[MC15] and within one process", async () => {
    const diary = join(folder(), "diary");
    const telling: Telling = { lead: [call("modern__order", { what: "tea" }), say("Done.")] };
    const opened = await open({ servers: { modern: modern(diary) }, tools: ["modern"], telling });
    const dialog = await opened.project.dialogs.create({ content: "Order tea" });
    await opened.project.dialogs.quiet(dialog.id);
    const [question] = await asked(opened);
    await opened.project.questions.answer(question?.id ?? ("" as never), { content: "small" });
    expect(await dialog.result()).toBe("Done.");
    expect(diaryOf(diary).at(-1)).toBe("ordered small tea");
  });
});
