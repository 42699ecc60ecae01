import { LimitName, QuestionId, type TreeEvent, type TreeEventOf } from "@colloquy/schema";
import { describe, expect, test } from "vitest";
import { applyAll } from "../state/apply.ts";
import { decide } from "../commands/decide.ts";
import { decideHalt } from "../step/interrupted-step.ts";
import { limitQuestion } from "../gate/limit.ts";
import { accepted, AT, callId, callPart, dialog, lead, rules, startedTree, step } from "../testing.ts";
import { type Language, texts } from "../texts/texts.ts";
import type { Tree } from "../state/tree.ts";

const question = QuestionId.parse(callId(77));
const by = "anna";
const speaking = (language: Language) => ({ ...rules(), texts: texts[language] });
const LANGUAGES: readonly Language[] = ["en", "zh"];

type Asked = Partial<TreeEventOf<"question.asked">> & Pick<TreeEventOf<"question.asked">, "kind">;

/** A question as early versions recorded it: labels in one language, without codes. */
function recorded({ options = [], ...asked }: Asked): Tree {
  const event: TreeEvent = {
    type: "question.asked",
    dialog,
    course: 1,
    agent: lead,
    question,
    notification: callId(78),
    headline: "What now?",
    text: "",
    allowOther: false,
    source: "dialog",
    sourceId: dialog,
    ...asked,
    options: options.map(({ label }) => ({ label })),
  };
  const stop: TreeEvent = { type: "dialog.stopped", dialog, course: 1, reason: { code: "bug", message: "no" } };
  return applyAll(startedTree(), asked.kind === "fault" && !asked.topic ? [stop, event] : [event], AT);
}

/** The events that follow from choosing the nth option, without their texts. */
function effectOf(tree: Tree, nth: number, language: Language): readonly object[] | string {
  const decision = decide(tree, { type: "answer", question, by, choice: [nth] }, speaking(language));
  if (!decision.ok) return decision.refusal.code;
  return decision.events.map((event) => ({
    type: event.type,
    ...(event.type === "question.closed" && { as: event.as, verdict: event.verdict, more: event.more }),
  }));
}

describe("[Q27] a question recorded without codes has the same effect in either language", () => {
  const limits = LimitName.options.flatMap((limit) =>
    LANGUAGES.map((asked) => {
      const { options } = limitQuestion("Hello", { limit, used: 1, allowed: 1 }, texts[asked]);
      return { name: `${limit} asked in ${asked}`, asked: { kind: "limit" as const, limit, options }, size: 3 };
    }),
  );
  const system = LANGUAGES.flatMap((asked) => {
    const of = texts[asked];
    const pair = (one: string, two: string) => [{ label: one }, { label: two }];
    return [
      { name: `fault asked in ${asked}`, asked: { kind: "fault" as const, options: pair(of.resumeChoice, of.giveUpChoice) }, size: 2 },
      {
        name: `failures asked in ${asked}`,
        asked: { kind: "fault" as const, topic: "failures" as const, options: pair(of.tryAgainChoice, of.closeTaskChoice) },
        size: 2,
      },
      {
        name: `form asked in ${asked}`,
        asked: { kind: "question" as const, form: { key: "k", fields: [] }, options: pair(of.formAccept, of.formDecline) },
        size: 2,
      },
      {
        name: `yes or no asked in ${asked}`,
        asked: {
          kind: "question" as const,
          form: { key: "k", fields: [{ name: "sure", kind: "boolean" as const }] },
          options: pair(of.yes, of.no),
        },
        size: 2,
      },
    ];
  });
  test.each([...limits, ...system])("$name", ({ asked, size }) => {
    const tree = recorded(asked);
    const { options } = tree.questions.get(question) ?? { options: [] };
    expect(options.every(({ code }) => code !== undefined)).toBe(true);
    const effects = options.map((_, nth) => LANGUAGES.map((language) => effectOf(tree, nth, language)));
    expect(effects).toHaveLength(size);
    for (const [en, zh] of effects) {
      expect(en).toEqual(zh);
      expect(en).not.toBeTypeOf("string");
    }
  });
});

test("[Q26] an agent's own choices carry no code, even if they read like one of ours", () => {
  const tree = startedTree();
  const ask = callPart(1, { tool: "askHuman", kind: "house", input: { tellaskContent: "Go on?", options: ["Resume", "Stop"] } });
  const asked = accepted(tree, step(tree, [ask]));
  const [own] = [...asked.questions.values()];
  expect(own?.options).toEqual([{ label: "Resume" }, { label: "Stop" }]);
  const forged = callPart(2, { tool: "askHuman", kind: "house", input: { tellaskContent: "?", options: [{ label: "A", code: "stop" }] } });
  expect(step(tree, [forged])).toMatchObject({ events: [{ type: "step.ended" }, { type: "call.ended", outcome: "refused" }] });
});

test("[Q26] a fault reported in English can be resumed and given up in Chinese", () => {
  const reason = { code: "model_unreachable", message: "no" } as const;
  const tree = startedTree();
  const halted = accepted(tree, decideHalt(tree, { asker: { dialog, agent: lead }, reason, question }, speaking("en")));
  expect(halted.questions.get(question)?.options.map(({ code }) => code)).toEqual(["resume", "giveUp"]);
  const chosen = (choice: string | number) => decide(halted, { type: "answer", question, by, choice: [choice] }, speaking("zh"));
  expect(chosen("Resume")).toMatchObject({ events: [{ type: "question.closed", content: "Resume" }, { type: "dialog.resumed" }] });
  expect(chosen(1)).toMatchObject({ events: [{ type: "question.closed", choice: ["Give up"] }, { type: "turn.ended" }, {}] });
  expect(chosen("恢复")).toMatchObject({ refusal: { code: "bad_choice" } });
});

test("[Q28] a choice named twice, by number and by label, is stored once", () => {
  const tree = startedTree();
  const ask = (multiple: boolean) =>
    callPart(1, { tool: "askHuman", kind: "house", input: { tellaskContent: "Which?", options: ["X", "Y"], multiple } });
  const answered = (multiple: boolean, choice: (string | number)[]) => {
    const asked = accepted(tree, step(tree, [ask(multiple)]));
    return decide(asked, { type: "answer", question: QuestionId.parse(callId(1)), by, choice }, rules());
  };
  expect(answered(true, [0, 0, "X"])).toMatchObject({ events: [{ choice: ["X"] }] });
  expect(answered(true, ["Y", 0, 1])).toMatchObject({ events: [{ choice: ["Y", "X"] }] });
  expect(answered(false, [0, "X"])).toMatchObject({ events: [{ choice: ["X"] }] });
  expect(answered(false, [0, 1])).toMatchObject({ refusal: { code: "bad_choice" } });
});

test("[Q29] a grant that would already have expired is refused, and the question stays open", () => {
  const tree = startedTree();
  const pay = callPart(1, { tool: "pay", kind: "effects" });
  const asked = accepted(tree, step(tree, [pay], { approvals: new Map([[pay.call, { headline: "Pay?", text: "" }]]) }));
  const like = (until: number) =>
    decide(asked, { type: "approve", question: QuestionId.parse(callId(1)), by, scope: "project", pattern: "pay", until }, rules());
  expect(like(AT)).toMatchObject({ refusal: { code: "bad_request", message: expect.stringMatching(/until.*passed/) } });
  expect(like(-1e15)).toMatchObject({ refusal: { code: "bad_request" } });
  expect(like(AT + 1)).toMatchObject({ ok: true });
});
