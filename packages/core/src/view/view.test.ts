import { AgentId, AskId, DialogId, QuestionId, type TreeEvent } from "@colloquy/schema";
import { expect, test } from "vitest";
import { callPart, dialog, lead, says } from "../testing.ts";
import { texts } from "../texts/texts.ts";
import { AgentView } from "./view.ts";

const here = { dialog, course: 1 } as const;
const coder = AgentId.parse("coder");
const told = (content: string, ...opens: AgentId[]): TreeEvent => ({
  type: "message.added",
  ...here,
  by: "anna",
  content,
  to: [lead],
  opens,
});
const ended = (
  step: number,
  seen: number,
  parts: TreeEvent extends never ? never : Extract<TreeEvent, { type: "step.ended" }>["parts"],
  agent = lead,
): TreeEvent => ({
  type: "step.ended",
  ...here,
  agent,
  turn: 1,
  step,
  seen,
  index: 1,
  gen: step,
  parts,
  ms: 1,
  model: "m",
});
const result = (nth: number, output: string): TreeEvent => ({
  type: "call.ended",
  ...here,
  agent: lead,
  turn: 1,
  call: callPart(nth).call,
  output,
});

const shown = (events: readonly TreeEvent[]) => {
  const view = new AgentView({ dialog, agent: lead, nameOf: () => "Coder", texts: () => texts.en }, 0);
  events.forEach((event, nth) => view.receive(nth + 1, event));
  return view
    .show(events.length, 1)
    .map((message) =>
      message.role === "assistant" ? "assistant" : `${message.role}: ${"text" in message ? message.text : message.output}`,
    );
};

test("[V1] each message has its role and its speaker", () => {
  expect(
    shown([
      told("Hello", lead),
      ended(1, 1, [says("Hi")]),
      ended(1, 2, [says("I am here too")], coder),
      { type: "note.added", ...here, agent: lead, turn: 1, code: "empty_end", text: "Say something." },
      told("Go on"),
    ]),
  ).toEqual(["user: Hello", "assistant", "system: [Coder]: I am here too", "system: [System]: Say something.", "user: Go on"]);
});

test("[V2][V3] results follow their step, and messages that arrived in the meantime follow the results", () => {
  expect(
    shown([told("Hello", lead), told("Wait"), ended(1, 1, [callPart(1), callPart(2)]), result(2, "two"), told("And?"), result(1, "one")]),
  ).toEqual(["user: Hello", "assistant", "result: one", "result: two", "user: Wait", "user: And?"]);
});

test("[V6] text that a person cut off is not shown", () => {
  expect(
    shown([told("Hello", lead), { type: "step.cut", ...here, agent: lead, turn: 1, step: 1, gen: 1, parts: [says("I thi")], ms: 1 }]),
  ).toEqual(["user: Hello"]);
});

test.each([
  ["en", "You are the responder (tellaskee dialog) for this dialog; the tellasker dialog is @lead (the current caller)."],
  ["zh", "你是当前被诉请者对话（tellaskee dialog）的主理人；诉请者对话（tellasker dialog）为 @lead（当前发起本次诉请）。"],
] as const)("[A9] the role header of an assignment, %s", (language, header) => {
  const side = DialogId.parse("e".repeat(32));
  const view = new AgentView({ dialog: side, agent: coder, nameOf: () => "Lead", texts: () => texts[language] }, 0);
  const ask = {
    type: "ask.opened",
    ...here,
    agent: lead,
    turn: 1,
    ask: AskId.parse("a".repeat(32)),
    kind: "tellask",
    to: side,
    recipient: coder,
    content: "Write it.",
    depth: 1,
  } as const;
  view.receive(1, ask);
  expect(view.show(1, 1)).toEqual([{ role: "user", text: `${header}\n\nWrite it.` }]);
  const fresh = new AgentView({ dialog: side, agent: coder, nameOf: () => "Lead", texts: () => texts[language] }, 0);
  fresh.receive(1, { ...ask, kind: "freshBootsReasoning" });
  const headers = {
    en: "This is an FBR sideline dialog; the tellasker dialog is @lead (may be the same agent).",
    zh: "这是一次 FBR 支线对话；诉请者对话为 @lead（可能与当前对话同一 agent）。",
  };
  expect(fresh.show(1, 1)[0]).toMatchObject({ text: expect.stringContaining(headers[language]) });
});

test("[V5] words for a turn that was given up, sent while another turn was thinking, are shown to the next turn", () => {
  const question = QuestionId.parse(callPart(1).call);
  const at = { ...here, agent: lead, question };
  const asked = [
    told("Ship it", lead),
    ended(1, 1, [callPart(1, { tool: "askHuman", kind: "house", input: { tellaskContent: "A or B?" } })]),
    {
      type: "question.asked",
      ...at,
      turn: 1,
      call: callPart(1).call,
      notification: "n",
      kind: "question",
      headline: "A or B?",
      text: "",
      source: "dialog",
      sourceId: dialog,
    },
    { type: "question.discussed", ...at, by: "anna", content: "Why?" },
  ] satisfies TreeEvent[];
  const meanwhile = [
    { type: "question.closed", ...at, as: "withdrawn", content: "Over." },
    { type: "turn.ended", ...here, agent: lead, turn: 1 },
    { ...ended(1, 4, [says("Because.")]), turn: 4, ends: true },
    told("Next", lead),
  ] as TreeEvent[];
  const view = () => new AgentView({ dialog, agent: lead, nameOf: () => "Coder", texts: () => texts.en }, 0);
  const [grown, anew] = [view(), view()];
  asked.forEach((event, nth) => grown.receive(nth + 1, event));
  grown.show(4, 4);
  meanwhile.forEach((event, nth) => grown.receive(nth + 5, event));
  [...asked, ...meanwhile].forEach((event, nth) => anew.receive(nth + 1, event));
  const messages = grown.show(8, 8);
  expect(JSON.stringify(messages)).toContain("The question was withdrawn. Over.");
  expect(anew.show(8, 8)).toEqual(messages);
});

test("[N35] a new course names open questions with text and choices, and calls that wait for a person", () => {
  const asking = (
    nth: number,
    kind: "question" | "approval" | "limit",
    [headline, text]: readonly [string, string],
    ...labels: string[]
  ): TreeEvent => ({
    type: "question.asked",
    ...here,
    agent: lead,
    turn: 1,
    question: QuestionId.parse(callPart(nth).call),
    notification: "n",
    kind,
    call: callPart(nth).call,
    headline,
    text,
    ...(labels.length > 0 && { options: labels.map((label) => ({ label })) }),
    source: "dialog",
    sourceId: dialog,
  });
  const question = { ...here, agent: lead, question: QuestionId.parse(callPart(1).call) };
  const before = [
    told("Hello", lead),
    ended(1, 1, [callPart(1, { tool: "askHuman", kind: "house" }), callPart(2, { tool: "pay", kind: "effects" }), callPart(3)]),
    asking(1, "question", ["Which one?", "It is urgent."], "A", "B"),
    asking(2, "approval", ["Run pay", "to anna"]),
    asking(3, "question", ["Answered", "Long ago"]),
    {
      type: "question.closed",
      ...here,
      agent: lead,
      question: QuestionId.parse(callPart(3).call),
      as: "answered",
      content: "yes",
      by: "a",
    },
  ] as const;
  const anew = { type: "course.started", dialog, course: 2, full: true } as const;
  expect(shown([...before, anew])[0]).toContain(
    "Your questions to people that are still open:\n- Which one?\n  It is urgent.\n  Choices: A; B\n\nCalls of yours that wait for a person:\n- Run pay\n  to anna",
  );
  const again: TreeEvent = { type: "question.revised", ...question, headline: "Which of them?", text: "", options: [{ label: "C" }] };
  expect(shown([...before, again, anew])[0]).toContain("- Which of them?\n  Choices: C\n");
  expect(shown([...before, { type: "question.closed", ...question, as: "withdrawn" }, anew])[0]).not.toContain("still open");
});
