import type { CallEffects, TreeEvent } from "@colloquy/schema";
import { expect, test } from "vitest";
import { callId, dialog, lead, rootId } from "../testing.ts";
import { effectNews } from "./effect-news.ts";
import { effectView, type EffectRow, withNews } from "./effect-row.ts";

const call = callId(1);
const here = { dialog, course: 1, agent: lead };
const AT = (minute: number) => `2026-01-01T00:0${minute}:00.000Z`;
const made = (kind: "effects" | "reads" = "effects", input: unknown = { to: "anna", cents: 5 }): TreeEvent => ({
  type: "step.ended",
  ...here,
  turn: 1,
  step: 1,
  seen: 1,
  index: 1,
  gen: 1,
  ms: 0,
  parts: [{ call, tool: "pay", input, kind }],
});
const started = (staged?: true): TreeEvent => ({ type: "call.started", ...here, turn: 1, call, ...(staged && { staged }) });
const ran = (files: CallEffects["files"]): TreeEvent => ({
  type: "call.ran",
  ...here,
  turn: 1,
  call,
  output: "",
  effects: {
    files,
    counts: { created: files.length, changed: 0, emptied: 0, deleted: 0, moved: 0, lost: 0 },
    bytes: 0,
    git: [],
    refused: [],
  },
});
const ended = (outcome?: "error" | "refused" | "unknown", copied?: true): TreeEvent => ({
  type: "call.ended",
  ...here,
  turn: 1,
  call,
  output: "paid\nanna",
  ...(outcome && { outcome }),
  ...(copied && { copied }),
});
const closed = (verdict: "approved" | "denied", more: object = {}): TreeEvent =>
  ({ type: "question.closed", ...here, question: call, as: "answered", verdict, ...more }) as unknown as TreeEvent;
const settled: TreeEvent = { type: "call.settled", ...here, call, tool: "pay", as: "done", note: "Seen.", by: "anna" };
const undone: TreeEvent = { type: "call.undone", ...here, call, tool: "pay", by: "anna", paths: [], more: 0 };

/** A minute passes between two events. */
const ledger = (...events: readonly TreeEvent[]) => {
  const row = events.reduce<EffectRow | undefined>(
    (rows, event, nth) => effectNews(event, AT(nth)).reduce((before, news) => withNews(before, news), rows),
    undefined,
  );
  return row && effectView(row, call, rootId);
};

test.each([
  ["asked for", [made()], undefined],
  ["only reading", [made("reads"), started(), ended()], undefined],
  ["denied", [made(), closed("denied"), ended("refused")], undefined],
  ["running", [made(), started()], "running"],
  ["ended", [made(), started(), ended()], "done"],
  ["repeatable, which records no start", [made(), ended()], "done"],
  ["failed", [made(), started(), ended("error")], "failed"],
  ["refused after its start", [made(), started(), ended("refused")], undefined],
  ["interrupted", [made(), started(), ended("unknown")], "unknown"],
  ["interrupted in the original of this copy", [made(), started(), ended("unknown", true)], undefined],
  ["settled", [made(), started(), ended("unknown"), settled], "done"],
  ["on a layer and waiting", [made(), started(true), ran([{ path: "a", kind: "created" }])], undefined],
  ["on a layer without changes", [made(), started(true), ran([]), ended()], undefined],
  ["on a layer, applied", [made(), started(true), ran([{ path: "a", kind: "created" }]), ended()], "done"],
  ["on a layer, interrupted while it ran", [made(), started(true), ended("error")], undefined],
  [
    "on a layer, interrupted while it was applied",
    [made(), started(true), ran([{ path: "a", kind: "created" }]), ended("unknown")],
    "unknown",
  ],
  ["on a layer that does not hold everything", [made(), started(), ran([]), ended()], "done"],
] as const)("[EF1] the ledger's outcome of a call that is %s", (_, events, outcome) => expect(ledger(...events)?.outcome).toBe(outcome));

test("[EF1] a row says what, by whom, approved by whom, when, and what came of it", () => {
  expect(ledger(made(), closed("approved", { by: "anna" }), started(), ended())).toEqual({
    call,
    rootId,
    selfId: dialog,
    agentId: lead,
    tool: "pay",
    what: '{"to":"anna","cents":5}',
    approved: { by: "anna", at: AT(1) },
    at: AT(2),
    endedAt: AT(3),
    outcome: "done",
    receipt: "paid anna",
  });
  expect(ledger(made("effects", { command: "rm -r\n build" }), started(), ended())?.what).toBe("rm -r build");
  expect(ledger(made(), closed("approved", { byGrant: "g1", arguments: { path: "a.txt" } }), ended())).toMatchObject({
    what: "a.txt",
    approved: { grant: "g1" },
  });
  expect(ledger(made(), started(true), ran([{ path: "a", kind: "created" }]), ended(), undone)).toMatchObject({
    changes: "+1",
    undo: { state: "undone", by: "anna" },
  });
  expect(ledger(made(), started(), ended("unknown"), settled)?.settled).toEqual({ at: AT(3), as: "done", by: "anna", note: "Seen." });
});
