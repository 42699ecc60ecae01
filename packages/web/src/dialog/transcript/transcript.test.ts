import type { Recorded } from "@colloquy/schema";
import { expect, test } from "vitest";
import { folded } from "./folded-calls.ts";
import { liveRows } from "./live-rows.ts";
import type { Row } from "./rows.ts";
import { transcript } from "./transcript.ts";

const at = (seq: number): string => new Date(Date.UTC(2026, 0, 1, 12, 0, seq)).toISOString();
const tree = (...events: readonly Record<string, unknown>[]): readonly Recorded[] =>
  events.map(
    (event, nth) =>
      ({
        seq: nth + 1,
        pos: nth + 1,
        at: at(nth + 1),
        last: true,
        dialog: { rootId: "m", selfId: event.dialog ?? "m" },
        event: { dialog: "m", course: 1, ...event },
      }) as unknown as Recorded,
  );
const step = (agent: string, parts: readonly unknown[], over = {}) => ({
  type: "step.ended",
  agent,
  turn: 1,
  step: 1,
  seen: 1,
  index: 1,
  gen: 1,
  parts,
  ms: 900,
  ...over,
});
const kinds = (rows: readonly Row[]) => rows.map(({ kind }) => kind);

test("[U5] thinking, words and calls are shown in the order they came", () => {
  const rows = transcript(
    tree(
      { type: "message.added", by: "anna", content: "Go", to: ["lead"] },
      step("lead", [{ thinking: "hm" }, { saying: "I look." }, { call: "c1", tool: "read_file", input: { path: "a" }, kind: "reads" }]),
      { type: "call.ended", agent: "lead", turn: 1, call: "c1", output: "text", ms: 12 },
    ),
    "m",
  );
  expect(kinds(rows)).toEqual(["person", "thinking", "saying", "call"]);
  expect(rows[0]).toMatchObject({ isUnread: false });
  expect(rows[3]).toMatchObject({ output: "text", outcome: undefined });
});

test("[U5] a command shows the files it changed, even while it waits for approval", () => {
  const counts = { created: 1, changed: 0, emptied: 0, deleted: 2, moved: 1, lost: 0 };
  const files = [
    { path: "a.txt", kind: "created" },
    { path: "src", kind: "deleted", files: 2 },
    { path: "c.txt", kind: "moved", from: "b.txt" },
  ];
  const events = tree(step("lead", [{ call: "c1", tool: "run_command", input: { command: "x" }, kind: "effects" }]), {
    type: "call.ran",
    agent: "lead",
    turn: 1,
    call: "c1",
    output: "",
    effects: { files, counts, bytes: 1, git: ["branch x deleted"], refused: [] },
  });
  expect(transcript(events, "m")[0]).toMatchObject({
    output: undefined,
    effects: ["+ a.txt", "− src/ (2)", "→ b.txt ⇒ c.txt", "branch x deleted"],
  });
});

test("[U5] a message that no agent has been shown is waiting to be read", () => {
  expect(transcript(tree({ type: "message.added", by: "anna", content: "Go", to: ["lead"] }), "m")[0]).toMatchObject({ isUnread: true });
});

test("[U5] an ask is a card with its answer in the asker's dialog, and an assignment in the other", () => {
  const events = tree(
    step("lead", [{ call: "c1", tool: "tellaskSessionless", input: {}, kind: "house" }]),
    {
      type: "ask.opened",
      agent: "lead",
      turn: 1,
      ask: "c1",
      kind: "tellaskSessionless",
      to: "s",
      recipient: "coder",
      content: "Do it",
      depth: 1,
    },
    { ...step("coder", [{ saying: "Done." }], { ends: true }), dialog: "s" },
    { type: "ask.answered", agent: "lead", turn: 1, ask: "c1", content: "Done.", quote: "Do it" },
  );
  expect(transcript(events, "m")).toMatchObject([{ kind: "ask", to: "s", answer: { text: "Done." } }]);
  expect(kinds(transcript(events, "s"))).toEqual(["assignment", "saying"]);
});

test("[U5] a question is shown where it was asked, with its outcome", () => {
  const rows = transcript(
    tree(
      {
        type: "question.asked",
        agent: "lead",
        question: "q",
        notification: "n",
        kind: "question",
        headline: "Which?",
        text: "Which?",
        source: "dialog",
        sourceId: "m",
      },
      { type: "question.closed", agent: "lead", question: "q", as: "answered", choice: ["SQLite"], content: "", by: "anna" },
    ),
    "m",
  );
  expect(rows).toMatchObject([{ kind: "question", as: "answered", by: "anna", answer: "SQLite" }]);
});

test("[U5] four finished calls in a row are one expandable line", () => {
  const calls = ["1", "2", "3", "4"];
  const rows = transcript(
    tree(
      step(
        "lead",
        calls.map((call) => ({ call, tool: "read_file", input: {}, kind: "reads" })),
      ),
      ...calls.map((call) => ({ type: "call.ended", agent: "lead", turn: 1, call, output: "" })),
    ),
    "m",
  );
  expect(kinds(folded(rows, () => false))).toEqual(["calls"]);
  expect(kinds(folded(rows, () => true))).toEqual(["calls", "call", "call", "call", "call"]);
});

test("[U21] live text is shown in the rows that its record will have", () => {
  const segment = (kind: "thinking" | "saying", text: string) => ({ kind, text, isFinished: true });
  const live = liveRows({
    agent: "lead",
    course: 1,
    genseq: 7,
    selfId: "m" as never,
    isGenerating: true,
    tools: [],
    startedAt: 0,
    segments: [segment("thinking", "hm"), segment("saying", "I look."), segment("saying", "Found.")],
  });
  const parts = [
    { thinking: "hm" },
    { saying: "I look." },
    { call: "c1", tool: "read_file", input: {}, kind: "reads" },
    { saying: "Found." },
  ];
  const rows = transcript(tree(step("lead", parts, { gen: 7 })), "m").filter(({ kind }) => kind !== "call");
  expect(live.map(({ key, kind }) => [key, kind])).toEqual(rows.map(({ key, kind }) => [key, kind]));
});
