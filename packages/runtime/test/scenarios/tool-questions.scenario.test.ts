import { defineTool, type OpenCall, type Tool, type ToolQuestion } from "@colloquy/runtime";
import type { FormField, QuestionView } from "@colloquy/schema";
import { memoryBacking } from "@colloquy/store";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, say, type Telling, world, type World } from "@colloquy/testing/internals";
import { doom, latch, settle } from "./tools.ts";

const COLOUR: FormField = { name: "colour", kind: "choice", choices: ["red", "blue"].map((value) => ({ value, label: value })) };
const NAME: FormField = { name: "name", kind: "text", required: true };
const AGE: FormField = { name: "age", kind: "integer", least: 18, most: 120 };

/** A tool that may ask: not a function in code, but one that keeps its call open. */
const booking = (run: (call: OpenCall) => Promise<string>, over: { repeatable?: boolean } = {}): Tool => ({
  ...defineTool({ name: "book", description: "Books.", input: z.strictObject({}), ...over, run: () => undefined }),
  run: (_, call) => run(call),
});

/** Asks these one after the other, and returns the answers. */
const asker = (questions: readonly ToolQuestion[], over: { repeatable?: boolean } = {}) => {
  const runs: string[] = [];
  const tool = booking(async (context) => {
    runs.push("begun");
    const answers = [];
    for (const question of questions) answers.push(await context.ask(question));
    runs.push("ended");
    return JSON.stringify(answers);
  }, over);
  return { runs, tool };
};

const telling: Telling = { lead: [call("book"), say("Booked.")] };

async function asked(w: World): Promise<QuestionView> {
  const [question] = await w.project.questions.list();
  if (!question) throw new Error("nobody asked");
  return question;
}

const resultIn = async (w: World, rootId: Parameters<World["events"]>[0]) =>
  (await w.events(rootId)).flatMap((event) => (event.type === "call.ended" ? [event] : []));

describe("a tool asks", () => {
  test("[TQ1][TQ2][TQ3] the turn waits, the tree is quiet, and the tool gets the answer", async () => {
    const { runs, tool } = asker([{ message: "Which colour?", fields: [COLOUR] }]);
    const w = await world({ telling, tools: [tool] });
    const dialog = await w.project.dialogs.create({ content: "Book it" });
    await w.project.dialogs.quiet(dialog.id);
    const question = await asked(w);
    expect(question).toMatchObject({
      kind: "question",
      headline: "Which colour?",
      options: [{ label: "red" }, { label: "blue" }],
      fields: [COLOUR],
    });
    expect((await w.project.dialogs.view(dialog.id)).state).toBe("asking");
    expect(runs).toEqual(["begun"]);
    w.clock.advance(3_600_000);
    await w.project.questions.answer(question.id, { choice: [1] });
    expect(await dialog.result()).toBe("Booked.");
    expect(runs).toEqual(["begun", "ended"]);
    expect(await resultIn(w, dialog.id)).toMatchObject([{ output: '[{"action":"accept","values":{"colour":"blue"}}]', ms: 0 }]);
    expect(JSON.stringify(w.requests.at(-1)?.messages)).not.toContain("Which colour?");
  });

  test("[TQ3][TQ4] a form is shown field by field, and an invalid answer is refused with what is valid", async () => {
    const { tool } = asker([{ message: "Who travels?", fields: [NAME, AGE, { ...COLOUR, default: "red" }] }]);
    const w = await world({ telling, tools: [tool] });
    const dialog = await w.project.dialogs.create({ content: "Book it" });
    await w.project.dialogs.quiet(dialog.id);
    const { id, text } = await asked(w);
    expect(text).toContain("- name: text; required\n- age: a whole number 18–120\n- colour: one of red, blue; red if left out");
    await expect(w.project.questions.answer(id, { content: "age: 7\nshoe: 43" })).rejects.toMatchObject({
      code: "bad_answer",
      message: '"shoe" is not asked for.\nMissing: name: text; required\nInvalid: age: a whole number 18–120',
    });
    expect((await asked(w)).status).toBe("open");
    await w.project.questions.answer(id, { content: "Name: Anna\nage = 42" });
    await dialog.result();
    expect(await resultIn(w, dialog.id)).toMatchObject([
      { output: '[{"action":"accept","values":{"name":"Anna","age":42,"colour":"red"}}]' },
    ]);
  });

  test("[TQ4] on one line, a semicolon separates fields", async () => {
    const { tool } = asker([{ message: "Who travels?", fields: [NAME, AGE] }]);
    const w = await world({ telling, tools: [tool] });
    const dialog = await w.project.dialogs.create({ content: "Book it" });
    await w.project.dialogs.quiet(dialog.id);
    await w.project.questions.answer((await asked(w)).id, { content: "name: Anna; called: Ann; age: 42" });
    await dialog.result();
    expect((await resultIn(w, dialog.id))[0]?.output).toBe('[{"action":"accept","values":{"name":"Anna; called: Ann","age":42}}]');
  });

  test("[TQ4] JSON is an answer as well, and several questions come one after the other", async () => {
    const { tool } = asker([
      { message: "Who travels?", fields: [NAME, AGE] },
      { message: "Who else?", fields: [NAME] },
    ]);
    const w = await world({ telling, tools: [tool] });
    const dialog = await w.project.dialogs.create({ content: "Book it" });
    await w.project.dialogs.quiet(dialog.id);
    await w.project.questions.answer((await asked(w)).id, { content: '{"name": "Anna", "age": 42}' });
    await w.project.dialogs.quiet(dialog.id);
    await w.project.questions.answer((await asked(w)).id, { content: "Ben: the tall one" });
    await dialog.result();
    expect((await resultIn(w, dialog.id))[0]?.output).toBe(
      '[{"action":"accept","values":{"name":"Anna","age":42}},{"action":"accept","values":{"name":"Ben: the tall one"}}]',
    );
  });

  test.each([
    ["Accept", '[{"action":"accept","values":{}}]'],
    ["Decline", '[{"action":"decline"}]'],
  ])("[TQ3] without fields it asks for consent: %s", async (label, output) => {
    const { tool } = asker([{ message: "Sign in first", fields: [], url: "https://example.com/login" }]);
    const w = await world({ telling, tools: [tool] });
    const dialog = await w.project.dialogs.create({ content: "Book it" });
    await w.project.dialogs.quiet(dialog.id);
    const question = await asked(w);
    expect(question.text).toContain("https://example.com/login");
    await expect(w.project.questions.answer(question.id, { content: "perhaps" })).rejects.toMatchObject({ code: "bad_choice" });
    await w.project.questions.answer(question.id, { content: label });
    await dialog.result();
    expect((await resultIn(w, dialog.id))[0]?.output).toBe(output);
  });

  test("[TQ5] dismissing declines; a cleared mind cancels", async () => {
    for (const [end, output] of [
      [(w: World, question: QuestionView) => w.project.questions.dismiss(question.id), "decline"],
      [(w: World, question: QuestionView) => w.project.dialogs.clearMind(question.dialog), "cancel"],
    ] as const) {
      const w = await world({
        telling: { lead: ({ messages, course }) => (course === 1 && messages.length === 1 ? call("book") : say("Booked.")) },
        tools: [asker([{ message: "Who?", fields: [NAME] }]).tool],
      });
      const dialog = await w.project.dialogs.create({ content: "Book it" });
      await w.project.dialogs.quiet(dialog.id);
      await end(w, await asked(w));
      await dialog.result();
      expect((await resultIn(w, dialog.id))[0]?.output).toBe(`[{"action":"${output}"}]`);
    }
  });

  test("[TQ9] a tool that gives up withdraws its question in the same commit, unless it may be repeated", async () => {
    for (const repeatable of [false, true]) {
      const gone = latch();
      let runs = 0;
      const tool = booking(
        async (context) => {
          runs += 1;
          const answer = context.ask({ message: "Who?", fields: [NAME] });
          if (runs === 1) await gone.opened;
          if (runs === 1) throw new Error("tired of waiting");
          return JSON.stringify(await answer);
        },
        { repeatable },
      );
      const w = await world({ telling, tools: [tool] });
      const dialog = await w.project.dialogs.create({ content: "Book it" });
      await w.project.dialogs.quiet(dialog.id);
      const { id } = await asked(w);
      gone.open();
      await settle();
      if (repeatable) await w.project.questions.answer(id, { content: "Anna" });
      await dialog.result();
      expect((await w.project.questions.get(id)).status).toBe(repeatable ? "answered" : "withdrawn");
      const output = repeatable ? '{"action":"accept","values":{"name":"Anna"}}' : "tired of waiting";
      expect((await resultIn(w, dialog.id)).map((event) => event.output)).toEqual([output]);
      const lines = await w.project.dialogs.events(dialog.id);
      const ending = lines.find((line) => line.events.some((event) => event.type === "call.ended"));
      expect(ending?.events.some((event) => event.type === "question.closed")).toBe(!repeatable);
    }
  });

  test("[TQ10] closing the dialog withdraws the question and aborts the tool; a stop leaves both", async () => {
    let aborted = 0;
    const tool = booking(async (context) => {
      context.signal.addEventListener("abort", () => (aborted += 1));
      return JSON.stringify(await context.ask({ message: "Who?", fields: [NAME] }));
    });
    const w = await world({ telling, tools: [tool] });
    const dialog = await w.project.dialogs.create({ content: "Book it" });
    await w.project.dialogs.quiet(dialog.id);
    await w.project.dialogs.stop(dialog.id);
    const { id } = await asked(w);
    expect(aborted).toBe(0);
    await w.project.questions.answer(id, { content: "Anna" });
    await w.project.dialogs.resume(dialog.id);
    expect(await dialog.result()).toBe("Booked.");

    const other = await w.project.dialogs.create({ content: "Book it" });
    await w.project.dialogs.quiet(other.id);
    const open = await asked(w);
    await w.project.dialogs.done(other.id);
    await settle();
    expect(aborted).toBe(1);
    expect((await w.project.questions.get(open.id)).status).toBe("withdrawn");
  });

  test("[TQ11] its agent may withdraw the question in a thread, and not rewrite it", async () => {
    const w = await world({
      telling: {
        lead: ({ messages, tools }) => {
          const isThread = tools.some(({ name }) => name === "revise_question");
          const last = JSON.stringify(messages.at(-1));
          if (isThread && last.includes("Why?")) return call("revise_question", { tellaskContent: "Something else" });
          if (isThread) return last.includes("withdraw") ? call("withdraw_question", { why: "not needed" }) : say("So it is.");
          return messages.length === 1 ? call("book") : say("Booked.");
        },
      },
      tools: [asker([{ message: "Who?", fields: [NAME] }]).tool],
    });
    const dialog = await w.project.dialogs.create({ content: "Book it" });
    await w.project.dialogs.quiet(dialog.id);
    const { id } = await asked(w);
    await w.project.questions.askBack(id, "Why?");
    await w.project.dialogs.quiet(dialog.id);
    expect((await w.project.questions.get(id)).headline).toBe("Who?");
    const refused = await resultIn(w, dialog.id);
    expect(refused[0]).toMatchObject({ outcome: "refused" });
  });

  test("[TQ12] binary output is kept beside the log", async () => {
    const tool = defineTool({
      name: "book",
      description: "Books.",
      input: z.strictObject({}),
      run: async (_, context) => `ticket: ${await context.blob("1.png", Uint8Array.of(1, 2, 3), "image/png")}`,
    });
    const w = await world({ telling, tools: [tool] });
    const dialog = await w.project.dialogs.create({ content: "Book it" });
    await dialog.result();
    const [ended] = await resultIn(w, dialog.id);
    expect(ended?.files).toMatchObject([{ bytes: 3, mediaType: "image/png" }]);
    expect(ended?.output).toBe(`ticket: ${ended?.files?.[0]?.name}`);
    expect(ended?.files?.[0]?.name).toMatch(/^[0-9a-f]{32}-1\.png$/);
  });
});

describe("killed around a commit", () => {
  const questions = [
    { message: "Who?", fields: [NAME] },
    { message: "Which colour?", fields: [COLOUR] },
  ];
  /** Plays the story until it is over; a caller without a receipt retries. */
  async function story(w: World): Promise<readonly string[]> {
    const dialog = await w.project.dialogs.create({ content: "Book it", msgId: "m1" });
    await w.project.takeUp(dialog.id);
    for (let round = 0; round < 6; round++) {
      await w.project.dialogs.quiet(dialog.id);
      for (const { id, headline } of await w.project.questions.list()) {
        await w.project.questions.answer(id, { content: headline === "Who?" ? "Anna" : "blue", msgId: `a ${id}` });
      }
    }
    expect(await dialog.result()).toBe("Booked.");
    return (await w.events(dialog.id)).flatMap((event) =>
      event.type === "question.asked" ? [event.headline] : event.type === "call.ended" ? [event.output] : [],
    );
  }
  const told = '[{"action":"accept","values":{"name":"Anna"}},{"action":"accept","values":{"colour":"blue"}}]';
  /** Repeats calls whose outcome is unknown. */
  const stubborn: Telling = {
    lead: ({ messages }) => {
      const last = messages.at(-1);
      return last?.role === "result" && !last.output.includes("unknown") ? say("Booked.") : call("book");
    },
  };

  async function killed(nth: number, when: "before" | "after", tool: ReturnType<typeof asker>["tool"]) {
    const disk = memoryBacking();
    const { through, died } = doom({ nth, when });
    const doomed = await world({ telling: stubborn, tools: [tool], disk, through });
    await Promise.race([story(doomed).catch(() => undefined), died]);
    await settle();
    return story(await world({ telling: stubborn, tools: [tool], disk }));
  }

  test("the stories take as many commits as are killed", async () => {
    for (const [repeatable, commits] of [
      [true, 8],
      [false, 9],
    ] as const) {
      const w = await world({ telling: stubborn, tools: [asker(questions, { repeatable }).tool] });
      expect(await story(w)).toEqual(["Who?", "Which colour?", told]);
      expect(w.disk.pos).toBe(commits);
    }
  });

  describe.each(["before", "after"] as const)("%s", (when) => {
    test.each([1, 2, 3, 4, 5, 6, 7, 8])(
      "[TQ6][C1] commit %i, repeatable: each question is asked once, and its answer is given",
      async (nth) => {
        expect(await killed(nth, when, asker(questions, { repeatable: true }).tool)).toEqual(["Who?", "Which colour?", told]);
      },
    );

    test.each([1, 2, 3, 4, 5, 6, 7, 8, 9])("[TQ7][C1] commit %i, not repeatable: unknown at most once, no answer is lost", async (nth) => {
      const lines = await killed(nth, when, asker(questions).tool);
      expect(lines.at(-1)).toBe(told);
      expect(lines.filter((line) => line === "Who?")).toHaveLength(1);
      expect(lines.filter((line) => line === "Which colour?")).toHaveLength(1);
      expect(lines.filter((line) => line.includes("unknown")).length).toBeLessThanOrEqual(1);
    });

    test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])("[TQ8][C1] commit %i, with resume state: each of its steps runs once", async (nth) => {
      const steps: string[] = [];
      const tool = booking(async (context) => {
        const from = (context.resume as { step: number } | undefined)?.step ?? 0;
        const answers = [];
        for (const [step, question] of questions.entries()) {
          if (step < from) continue;
          steps.push(`${step} begun`);
          answers.push(await context.ask({ ...question, key: String(step), resume: { step } }));
        }
        steps.push("paid");
        return JSON.stringify(answers.at(-1));
      });
      const lines = await killed(nth, when, tool);
      expect(lines.filter((line) => line === "Who?")).toHaveLength(1);
      expect(lines.filter((line) => line === "Which colour?")).toHaveLength(1);
      // Between the last answer and the result the outcome is unknown; everywhere else it resumes.
      expect(lines.filter((line) => line.includes("unknown")).length).toBeLessThanOrEqual(1);
      expect(lines.at(-1)).toContain("blue");
    });
  });
});
