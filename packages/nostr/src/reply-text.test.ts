import { expect, test } from "vitest";
import { readReply } from "./reply-text.ts";

const choices = { kind: "question", options: [{ label: "Blue" }, { label: "Green" }, { label: "Red" }], multiple: false } as const;
const approval = { kind: "approval", options: [], multiple: false } as const;
const asked = <Question extends object>(question: Question) => question as Question & { options: { label: string }[] };

test("[NS19] a number or a label is a choice, all else is an answer in words", () => {
  expect(readReply(asked(choices), " 2 ")).toEqual({ kind: "answer", choice: ["Green"] });
  expect(readReply(asked(choices), "Red")).toEqual({ kind: "answer", choice: ["Red"] });
  expect(readReply(asked(choices), "Neither, use white")).toEqual({ kind: "answer", content: "Neither, use white" });
  expect(readReply(asked({ ...choices, options: [] }), "2")).toEqual({ kind: "answer", content: "2" });
  expect(readReply(asked({ ...choices, multiple: true }), "1, Red")).toEqual({ kind: "answer", choice: ["Blue", "Red"] });
  expect(readReply(asked({ ...choices, multiple: true }), "1, or so")).toEqual({ kind: "answer", content: "1, or so" });
});

test("[NS21] only its word approves, and a denial may say why", () => {
  for (const yes of ["approve", " Approve.", "批准"]) expect(readReply(asked(approval), yes)).toEqual({ kind: "approve" });
  expect(readReply(asked(approval), "deny")).toEqual({ kind: "deny" });
  expect(readReply(asked(approval), "Deny: not on a Friday")).toEqual({ kind: "deny", why: "not on a Friday" });
  expect(readReply(asked(approval), "拒绝，太晚了")).toEqual({ kind: "deny", why: "太晚了" });
  for (const other of ["yes", "approved?", "approve all", "denying", "1", "I would not approve", "👍"])
    expect(readReply(asked(approval), other)).toBeUndefined();
});
