import { type CallPart, isCall, type ModelMessage, type Part, type TreeEvent } from "@colloquy/schema";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyAll } from "../state/apply.ts";
import { decide } from "../commands/decide.ts";
import { decideCallEnd, decideCallStart } from "../step/decide-call.ts";
import type { Decision } from "../state/decision.ts";
import { decideStep } from "../step/decide-step.ts";
import { decideAttempt, decideCut } from "../step/interrupted-step.ts";
import { hasWork, nextMove } from "./next-move.ts";
import { REDUCER_VERSION, treeFrom, treeSnapshot } from "../state/snapshot.ts";
import { AT, callId, callPart, dialog, lead, rootId, rules, says, send, startedTree, stepResult, verb } from "../testing.ts";
import { texts } from "../texts/texts.ts";
import { emptyTree, runOf, type Tree } from "../state/tree.ts";
import { AgentView, type ViewPlace } from "../view/view.ts";

const place: ViewPlace = { dialog, agent: lead, nameOf: () => "Lead", texts: () => texts.en };

/** Possible next moves, as numbers that fast-check can shrink. */
const move = fc.record({
  kind: fc.constantFrom("send", "begin", "finish", "call", "stop", "resume", "done", "cut", "attempt", "stale"),
  pick: fc.nat(5),
  size: fc.nat(3),
});
type Move = typeof move extends fc.Arbitrary<infer T> ? T : never;

/** A tree, its complete log, and a driver with one step in flight, as in the runtime. */
class Play {
  tree: Tree = startedTree();
  events: TreeEvent[] = [];
  view = new AgentView(place, 0);
  requests: (readonly ModelMessage[])[] = [];
  #calls = 100;
  #flight: { turn: number; step: number; seen: number } | undefined;

  constructor() {
    this.#receive(startEvents());
  }

  make(one: Move): void {
    const run = runOf(this.tree, dialog, lead);
    const next = run && nextMove(this.tree, run);
    switch (one.kind) {
      case "send":
        return this.#take(decide(this.tree, send(`message ${this.tree.seq}`), rules()));
      case "begin":
        if (this.#flight || next?.kind !== "think") return;
        this.#flight = { turn: next.turn.id, step: next.turn.steps + 1, seen: this.tree.seq };
        this.requests.push([...this.view.show(this.tree.seq, next.turn.id)]);
        return;
      case "finish": {
        if (!this.#flight) return;
        const { turn, step, seen } = this.#flight;
        this.#flight = undefined;
        const ref = { dialog, agent: lead, turn, step };
        return this.#take(decideStep(this.tree, ref, stepResult({ parts: this.#parts(one), seen }), rules()));
      }
      case "call": {
        if (next?.kind !== "act") return;
        const call = next.calls[one.pick % next.calls.length];
        if (!call) return;
        const ref = { dialog, agent: lead, turn: next.turn.id, call: call.id };
        if (!call.repeatable) this.#take(decideCallStart(this.tree, ref));
        return this.#take(
          decideCallEnd(this.tree, ref, { result: { output: `result ${one.pick}` }, question: callId(5_000 + this.tree.seq) }, rules()),
        );
      }
      case "cut":
        if (!this.#flight) return;
        this.#take(decideCut(this.tree, { dialog, agent: lead, ...this.#flight }, { parts: [says("half a")], gen: 1, ms: 1 }));
        this.#flight = undefined;
        return;
      case "attempt":
        if (next?.kind === "think")
          this.#take(decideAttempt(this.tree, { dialog, agent: lead, turn: next.turn.id }, callId(6_000 + this.tree.seq), rules()));
        return;
      case "stale":
        return this.#take(
          decideStep(
            this.tree,
            { dialog, agent: lead, turn: one.pick, step: 50 + one.size },
            stepResult({ parts: [says("ghost")] }),
            rules(),
          ),
          true,
        );
      default:
        return this.#take(decide(this.tree, verb(one.kind), rules()));
    }
  }

  #parts({ size, pick }: Move): Part[] {
    const calls = Array.from({ length: size }, (_, nth): CallPart =>
      callPart(++this.#calls, { kind: (nth + pick) % 2 === 0 ? "reads" : "effects" }),
    );
    return pick === 0 && size === 0 ? [] : [says(`step ${this.tree.seq}`), ...calls];
  }

  #take(decision: Decision<TreeEvent>, mustRefuse = false): void {
    if (mustRefuse) expect(decision.ok).toBe(false);
    if (!decision.ok) return;
    this.tree = applyAll(this.tree, decision.events, AT);
    this.#receive(decision.events);
  }

  #receive(events: readonly TreeEvent[]): void {
    for (const event of events) {
      this.events.push(event);
      this.view.receive(this.events.length, event);
    }
  }
}

const startEvents = (): TreeEvent[] => [
  { type: "dialog.created", dialog, course: 1, agent: lead, title: "Hello", taskDocPath: `tasks/${rootId}.tsk/`, by: "anna" },
  { type: "message.added", dialog, course: 1, by: "anna", content: "Hello", to: [lead], opens: [lead] },
];

const everyPlay = (check: (play: Play) => void, afterEach: (play: Play) => void = () => {}) =>
  fc.assert(
    fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
      const play = new Play();
      for (const one of moves) {
        play.make(one);
        afterEach(play);
      }
      check(play);
    }),
    { numRuns: Number(process.env["COLLOQUY_RUNS"] ?? 300) },
  );

test("[G5] after any sequence of events, ready holds exactly the runs with work", () => {
  everyPlay(
    () => {},
    ({ tree }) => {
      for (const [key, run] of tree.runs.entries()) expect(tree.ready.has(key)).toBe(hasWork(tree, run));
    },
  );
});

test("[V4] after any sequence of events, each request has the one before it as its prefix", () => {
  everyPlay(({ requests }) => {
    requests.forEach((request, nth) => expect(request.slice(0, requests[nth - 1]?.length ?? 0)).toEqual(requests[nth - 1] ?? []));
  });
});

test("[V5] a view rebuilt from the log shows the same", () => {
  everyPlay(({ view, events, tree }) => {
    const anew = new AgentView(place, 0);
    events.forEach((event, nth) => anew.receive(nth + 1, event));
    const turn = runOf(tree, dialog, lead)?.turns[0]?.id ?? 0;
    expect([...anew.show(tree.seq, turn)]).toEqual([...view.show(tree.seq, turn)]);
  });
});

test("[V7] in each request every call has exactly one result, right after its step", () => {
  everyPlay(({ requests }) => {
    for (const request of requests) {
      request.forEach((message, at) => {
        if (message.role !== "assistant") return;
        const calls = message.parts.filter(isCall).map((part) => part.call as string);
        const behind = request.slice(at + 1, at + 1 + calls.length);
        expect(behind.map((one) => (one.role === "result" ? (one.call as string) : one.role)).toSorted()).toEqual(calls.toSorted());
      });
    }
  });
});

test("[C9] folding from a snapshot and folding from the start give the same tree", () => {
  everyPlay(({ events, tree }) => {
    const half = Math.floor(events.length / 2);
    const first = applyAll(emptyTree(rootId), events.slice(0, half), AT);
    const stored = JSON.parse(JSON.stringify(treeSnapshot(first, 7)));
    expect(stored.reducer).toBe(REDUCER_VERSION);
    const folded = applyAll(treeFrom(stored, rootId), events.slice(half), AT);
    expect(JSON.parse(JSON.stringify(treeSnapshot(folded, 0)))).toEqual(JSON.parse(JSON.stringify(treeSnapshot(tree, 0))));
  });
});
