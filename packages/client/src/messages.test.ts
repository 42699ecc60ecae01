import type { DialogId, Recorded, RootId } from "@colloquy/schema";
import { expect, test } from "vitest";
import { messagesIn } from "./messages.ts";

const [main, side, asked] = ["a", "b", "c"].map((digit) => digit.repeat(32)) as [string, string, string];

/** Events in their wire format. */
const recorded = (...events: readonly object[]): readonly Recorded[] =>
  events.map((event, nth) => {
    const dialog = "dialog" in event ? String(event.dialog) : main;
    return {
      seq: nth + 1,
      pos: nth + 1,
      at: "2026-01-01T00:00:00.000Z",
      dialog: { rootId: main as RootId, selfId: dialog as DialogId },
      event: { dialog, course: 1, ...event } as unknown as Recorded["event"],
      last: true,
    };
  });
const step = (...parts: readonly object[]) => ({ type: "step.ended", agent: "lead", parts });
const said = (events: readonly Recorded[], dialog = main) =>
  messagesIn(events, dialog).map(({ seq, from, by, text, questionId }) => [seq, from, by, text, ...(questionId ? ["?"] : [])]);

test("[CL21] messages contain what was said in the dialog and nothing else", () => {
  const events = recorded(
    { type: "message.added", by: "anna", content: "Paint it", to: ["lead"] },
    step({ thinking: "Hm." }, { saying: "I ask." }, { call: "1", tool: "askHuman", input: {} }),
    step({ thinking: "Hm." }, { call: "1", tool: "read_file", input: {} }),
    { ...step({ saying: "Elsewhere." }), dialog: side },
    { type: "question.asked", agent: "lead", question: asked, headline: "Which colour?", text: "Which colour?\nRed is cheap." },
    { type: "question.closed", agent: "lead", question: asked, as: "answered", by: "bert", choice: ["Red"], content: "please" },
    { type: "question.asked", agent: "lead", question: asked, headline: "Run paint", text: "It costs." },
    { type: "question.closed", agent: "lead", question: asked, as: "answered", by: "anna", verdict: "approved", content: "" },
    { type: "question.closed", agent: "lead", question: asked, as: "withdrawn" },
    step({ saying: "Painted." }),
  );
  expect(said(events)).toEqual([
    [1, "person", "anna", "Paint it"],
    [2, "agent", "lead", "I ask."],
    [5, "agent", "lead", "Which colour?\nRed is cheap.", "?"],
    [6, "person", "bert", "Red\nplease", "?"],
    [7, "agent", "lead", "Run paint\nIt costs.", "?"],
    [8, "person", "anna", "approved", "?"],
    [10, "agent", "lead", "Painted."],
  ]);
  expect(said(events, side)).toEqual([[4, "agent", "lead", "Elsewhere."]]);
});
