import { expect, test } from "vitest";
import { judgeStep, type StepFacts, type StepVerdict } from "./step-verdict.ts";

/** A plain text, and nothing that keeps the turn open. */
const plain: StepFacts = {
  hasCalls: false,
  isCutOff: false,
  cutsBefore: 0,
  hasOpenWork: false,
  hasUnread: false,
  isEmpty: false,
  wasToldEmpty: false,
  askBack: undefined,
  questions: "none",
  badOutput: undefined,
  wasToldBadOutput: false,
  report: undefined,
};

const report = { status: "success", summary: "Built." } as const;
const failed = { status: "failed", summary: "Which one?" } as const;

const table: readonly (readonly [when: string, facts: Partial<StepFacts>, verdict: StepVerdict])[] = [
  ["it only speaks", {}, { kind: "ends", report: undefined }],
  ["it calls tools", { hasCalls: true }, { kind: "acts" }],
  ["it calls tools and asks people", { hasCalls: true, questions: "asked" }, { kind: "acts" }],
  ["its reply is cut off", { isCutOff: true }, { kind: "cutOff", halts: false }],
  ["its reply is cut off for the third time", { isCutOff: true, cutsBefore: 2 }, { kind: "cutOff", halts: false }],
  ["its reply is cut off once more", { isCutOff: true, cutsBefore: 3 }, { kind: "cutOff", halts: true }],
  ["its reply is cut off while something is unread", { isCutOff: true, hasUnread: true }, { kind: "cutOff", halts: false }],
  ["something it asked for is open", { hasOpenWork: true }, { kind: "waits" }],
  ["something is open and unread", { hasOpenWork: true, hasUnread: true }, { kind: "waits" }],
  ["it asks back", { askBack: "Which?" }, { kind: "asksBack", content: "Which?", reached: false, isTold: false }],
  ["it asks back, unread", { askBack: "Which?", hasUnread: true }, { kind: "asksBack", content: "Which?", reached: true, isTold: false }],
  [
    "it asked back before a cut",
    { askBack: "Which?", isEmpty: true },
    { kind: "asksBack", content: "Which?", reached: false, isTold: true },
  ],
  ["something has arrived meanwhile", { hasUnread: true }, { kind: "readsOn", reached: true }],
  ["it asks people, and something has arrived", { hasUnread: true, questions: "asked" }, { kind: "readsOn", reached: false }],
  [
    "its questions are sent back, and something has arrived",
    { hasUnread: true, questions: "sentBack" },
    { kind: "readsOn", reached: false },
  ],
  ["it says nothing", { isEmpty: true }, { kind: "saysNothing" }],
  ["it says nothing, and something has arrived", { isEmpty: true, hasUnread: true }, { kind: "readsOn", reached: true }],
  ["it says nothing again", { isEmpty: true, wasToldEmpty: true }, { kind: "ends", report: undefined }],
  ["its questions are sent back", { questions: "sentBack" }, { kind: "corrects" }],
  ["its questions are sent back, and its output is bad", { questions: "sentBack", badOutput: "no city" }, { kind: "corrects" }],
  ["its output is bad", { badOutput: "no city" }, { kind: "badOutput", problem: "no city", halts: false }],
  ["its output is bad again", { badOutput: "no city", wasToldBadOutput: true }, { kind: "badOutput", problem: "no city", halts: true }],
  ["it asks people", { questions: "asked" }, { kind: "waitsForPeople" }],
  ["it asks people, and its output is bad", { questions: "asked", badOutput: "no city" }, { kind: "waitsForPeople" }],
  ["the run of its task has no status", { report: "tell" }, { kind: "lacksStatus" }],
  [
    "the run of its task has no status, and its output is bad",
    { report: "tell", badOutput: "x" },
    { kind: "badOutput", problem: "x", halts: false },
  ],
  ["the run of its task is over", { report }, { kind: "ends", report }],
  ["the run of its task is over, and something has arrived", { report, hasUnread: true }, { kind: "readsOn", reached: true }],
  ["the run of its task ends with open questions", { report: failed, questions: "asked" }, { kind: "ends", report: failed }],
];

test.each(table)("[S1] a step is judged: %s", (_, facts, verdict) => {
  expect(judgeStep({ ...plain, ...facts })).toEqual(verdict);
});

test("[S1] a turn ends only if nothing in it is open, unread, cut off or sent back", () => {
  const both = [false, true];
  const all = both.flatMap((hasCalls) =>
    both.flatMap((isCutOff) =>
      both.flatMap((hasOpenWork) =>
        both.flatMap((hasUnread) =>
          both.flatMap((isEmpty) =>
            (["none", "asked", "sentBack"] as const).flatMap((questions) =>
              [undefined, "x"].flatMap((badOutput) =>
                ([undefined, "tell", report] as const).map((reported): StepFacts => ({
                  ...plain,
                  hasCalls,
                  isCutOff,
                  hasOpenWork,
                  hasUnread,
                  isEmpty,
                  questions,
                  badOutput,
                  report: reported,
                })),
              ),
            ),
          ),
        ),
      ),
    ),
  );
  for (const facts of all) {
    const isHeld = facts.hasCalls || facts.isCutOff || facts.hasOpenWork || facts.hasUnread || facts.isEmpty;
    const isAnswered = facts.questions === "none" ? facts.badOutput === undefined : facts.questions === "asked" && facts.report === report;
    const ends = !isHeld && isAnswered && facts.report !== "tell";
    expect({ ...facts, ends: judgeStep(facts).kind === "ends" }).toEqual({ ...facts, ends });
  }
});
