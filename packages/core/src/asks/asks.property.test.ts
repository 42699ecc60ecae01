import {
  type AgentId,
  type CallPart,
  type DialogId,
  isCall,
  type ModelMessage,
  type Part,
  type QuestionId,
  type TreeEvent,
} from "@colloquy/schema";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyAll } from "../state/apply.ts";
import { changeDay, type Day, dayEvents, dayGate, decideDayQuestion } from "../gate/day.ts";
import { decide } from "../commands/decide.ts";
import { decideCallEnd, decideCallRan, decideCallStart, decideHeldCall, decideToolQuestion } from "../step/decide-call.ts";
import type { Decision } from "../state/decision.ts";
import { decideLift } from "../commands/decide-lift.ts";
import { decideUndone } from "../commands/decide-undo.ts";
import { decideCopy } from "../copies/decide-copy.ts";
import { decideExpiry } from "../commands/decide-question.ts";
import { decideStep } from "../step/decide-step.ts";
import { decideDefinition } from "../step/definition.ts";
import { decideAttempt, decideCut, decideHalt } from "../step/interrupted-step.ts";
import type { CallRef } from "../step/step-decision.ts";
import type { StepRef } from "../step/step-result.ts";
import { openApprovals } from "../commands/grant.ts";
import { clearForRoom } from "../builtin/clear-mind.ts";
import { hasWork, nextMove } from "../gate/next-move.ts";
import { treeSnapshot } from "../state/snapshot.ts";
import { entryOf } from "../state/entry.ts";
import { callId, coder, dialog, lead, reviewer, rootId, rules, says, stepResult } from "../testing.ts";
import { texts } from "../texts/texts.ts";
import { isBeingUndone } from "../state/past-call.ts";
import { emptyTree, runOf, type Tree, turnAt, turnsOf } from "../state/tree.ts";
import { AgentView } from "../view/view.ts";
import { viewStart } from "../view/view-start.ts";
import { stuckAsk } from "../gate/waiting-invariant.ts";

const agents = [lead, coder, reviewer];
const LIMITS = { openAsks: 4, depth: 2, stepsPerTurn: 5, costPerTree: 8, costPerDay: 5 };
const HARSH_LIMITS = { openAsks: 2, depth: 1, stepsPerTurn: 2, costPerTree: 4, costPerDay: 2.5 };
const DAY_MS = 86_400_000;

/** These follow from the limit, not from the choice. */
const isChosen = (event: TreeEvent): boolean =>
  event.type !== "call.released" && !(event.type === "question.closed" && event.as === "withdrawn");

/** A decision's effect, without texts that depend on the language. */
const meaningOf = (decision: Decision<TreeEvent>): string =>
  decision.ok
    ? JSON.stringify(decision.events.filter(isChosen), (key, value: unknown) =>
        ["content", "output", "text", "message"].includes(key) ? "" : value,
      )
    : decision.refusal.code;

/** Every payment needs a person's approval. */
const approvalsOf = (parts: readonly Part[]) =>
  new Map(
    parts
      .filter(isCall)
      .filter((part) => part.tool === "pay")
      .map((part) => [part.call as string, { headline: "Pay?", text: "" }]),
  );

/** Possible next moves, as numbers that fast-check can shrink. */
const move = fc.record({
  kind: fc.constantFrom(
    "think",
    "think",
    "think",
    "think",
    "begin",
    "finish",
    "finish",
    "act",
    "act",
    "giveUp",
    "undo",
    "settle",
    "definition",
    "send",
    "answer",
    "answer",
    "dismiss",
    "discuss",
    "stop",
    "stopTree",
    "resume",
    "resume",
    "dead",
    "clear",
    "crash",
    "fork",
    "fault",
    "time",
    "cut",
    "done",
    "late",
    "phase",
    "repeat",
    "full",
    "attempt",
    "language",
    "settings",
  ),
  pick: fc.nat(1000),
  what: fc.nat(1000),
});
interface Move {
  readonly kind: string;
  readonly pick: number;
  readonly what: number;
}

/** A tree with a driver. Its model and its people do anything they are allowed to do. */
class Play {
  tree: Tree = emptyTree(rootId);
  events: TreeEvent[] = [];
  answered = new Map<string, number>();
  closed = new Map<string, number>();
  #views = new Map<string, AgentView>();
  #flights = new Map<string, { ref: StepRef; seen: number; parts: readonly Part[]; messages: readonly ModelMessage[] }>();
  #lastRequest = new Map<string, { course: number; messages: readonly ModelMessage[] }>();
  #ids = 1_000;
  /** From now on, models end their turns. */
  #isEnding = false;
  #at = 1_000;

  constructor() {
    this.#take({
      ok: true,
      seq: 2,
      events: [
        { type: "dialog.created", dialog, course: 1, agent: lead, title: "Hello", taskDocPath: "tasks/x.tsk/", by: "anna" },
        { type: "message.added", dialog, course: 1, by: "anna", content: "Hello", to: [lead], opens: [lead] },
      ],
    });
  }

  #language: "en" | "zh" = "en";
  /** Limits are halved and restored while questions about them are open. */
  #limits: Partial<typeof LIMITS> = LIMITS;

  #rules() {
    return {
      ...rules(this.#limits, this.#at),
      texts: texts[this.#language],
      team: {
        ids: () => agents,
        nameOf: (agent: AgentId) => agent,
        fbrEffort: () => 2,
        hasBusyModel: () => false,
        roomOf: () => undefined,
      },
    };
  }

  make({ kind, pick, what }: Move): void {
    this.#at += 1_000;
    const dialogs = [...this.tree.dialogs.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const at = dialogs[pick % dialogs.length]?.id ?? dialog;
    const open = [...this.tree.openQuestions.keys()].toSorted();
    const question = open[pick % Math.max(1, open.length)] as QuestionId | undefined;
    const by = "anna";
    switch (kind) {
      case "think":
        this.#begin(pick, what);
        return this.#finish(pick);
      case "begin":
        return this.#begin(pick, what);
      case "finish":
        return this.#finish(pick);
      case "act":
        return this.#act(pick, what);
      case "giveUp":
        return this.#giveUp(pick);
      case "undo":
        return this.#undo(pick, what);
      case "definition":
        return this.#define(pick, what);
      case "settle":
        return this.#settle(pick, what);
      case "send":
        return this.#take(
          decide(
            this.tree,
            {
              type: "send",
              dialog: at,
              by,
              content: `message ${this.tree.seq}`,
              ...(what % 3 === 0 && { mentions: [reviewer, ...agents.slice(what % 2)] }),
              ...(what % 4 === 0 && { now: true }),
              ...(what % 4 === 1 && { interrupt: true }),
              msgId: `m${this.tree.seq}`,
            },
            this.#rules(),
          ),
        );
      case "phase":
        return this.#take(
          decide(this.tree, { type: "set_phase", dialog: at, by, phase: "plan", summary: `so far ${what}` }, this.#rules()),
        );
      case "repeat":
        return this.#repeat(what);
      case "late":
        return this.#late(pick);
      case "full":
        if (this.tree.dialogs.get(at)?.status === "running" && what % 5 === 0)
          this.#take(clearForRoom(this.tree, at, { content: "summary", isFallback: what % 2 === 0, cost: 0.5 }, this.#rules()));
        return;
      case "attempt": {
        const run = this.tree.runs.get(this.#ready()[pick % Math.max(1, this.#ready().length)] ?? "");
        const step = run && nextMove(this.tree, run);
        if (run && (step?.kind === "think" || step?.kind === "act"))
          this.#take(decideAttempt(this.tree, { dialog: run.dialog, agent: run.agent, turn: step.turn.id }, this.#newId(), this.#rules()));
        return;
      }
      case "answer":
        if (question) this.#answer(question, what);
        return;
      case "dismiss":
        if (question) this.#take(decide(this.tree, { type: "dismiss", question, by }, this.#rules()));
        return;
      case "discuss":
        if (question) this.#take(decide(this.tree, { type: "ask_back", question, by, content: "why?" }, this.#rules()));
        return;
      case "stop":
      case "stopTree":
        return this.#take(decide(this.tree, { type: "stop", dialog: at, by, ...(kind === "stopTree" && { tree: true }) }, this.#rules()));
      case "resume":
        return this.#take(decide(this.tree, { type: "resume", dialog: at, by }, this.#rules()));
      case "dead":
        return this.#take(decide(this.tree, { type: "dead", dialog: at, by }, this.#rules()));
      case "clear":
        return this.#take(decide(this.tree, { type: "clear_mind", dialog: at, by }, this.#rules()));
      case "done":
        if (what % 7 === 0) this.#take(decide(this.tree, { type: "done", dialog, by }, this.#rules()));
        return;
      case "fault": {
        const found = this.tree.dialogs.get(at);
        const turns = found ? turnsOf(this.tree, found) : [];
        // The fault occurs in a turn of any agent, or concerns the dialog's agent as a whole.
        const met = what % 4 === 0 ? undefined : turns[what % Math.max(1, turns.length)];
        const ref = met ? { dialog: at, agent: met.agent, turn: met.turn } : { dialog: at, agent: found?.agent ?? lead };
        return this.#take(
          decideHalt(
            this.tree,
            { asker: ref, reason: { code: "model_unreachable", message: "no" }, question: this.#newId() },
            this.#rules(),
          ),
        );
      }
      case "time":
        this.#at += 3_600_000;
        return this.#take(decideExpiry(this.tree, this.#rules()));
      case "cut": {
        const [key, flight] = [...this.#flights][pick % Math.max(1, this.#flights.size)] ?? [];
        if (!key || !flight) return;
        this.#flights.delete(key);
        this.#views.delete(key);
        return this.#take(decideCut(this.tree, flight.ref, { parts: pick % 2 === 0 ? [says("half")] : [], gen: 1, ms: 1 }));
      }
      case "crash":
        return this.#crash();
      case "fork":
        return this.#fork(what);
      case "language":
        this.#language = this.#language === "en" ? "zh" : "en";
        return;
      case "settings":
        this.#limits = this.#limits === LIMITS ? HARSH_LIMITS : LIMITS;
        this.#take(decideLift(this.tree, this.#day, this.#rules()));
        expect(decideLift(this.tree, this.#day, this.#rules())).toMatchObject({ events: [] });
        return;
    }
  }

  /** Loses everything in memory and folds the tree from the log. */
  #crash(): void {
    this.#flights.clear();
    this.#views.clear();
    const before = JSON.stringify(treeSnapshot(this.tree, 0));
    let at = 0;
    let folded = emptyTree(rootId);
    for (const { events, time } of this.#commits) folded = applyAll(folded, events, (at = time));
    void at;
    this.tree = folded;
    expect(JSON.stringify(treeSnapshot(this.tree, 0))).toBe(before);
  }

  /** Life goes on in a copy: what was in flight is the original's, and nothing moves until somebody resumes. */
  #fork(what: number): void {
    this.#flights.clear();
    this.#views.clear();
    this.#begun.length = 0;
    const holds = what % 3 === 0;
    const copying = { as: what % 2 === 0 ? ("fork" as const) : ("import" as const), from: rootId, at: this.tree.seq, holds, by: "anna" };
    const events = decideCopy(this.tree, copying, [], this.#rules());
    this.#take({ ok: true, seq: this.tree.seq + 1, events });
    if (!holds || copying.as === "import") expect(entryOf(this.tree)?.hot).toBe(false);
    const calls = [...this.tree.runs.values()].flatMap(({ turns }) => turns.flatMap((turn) => turn.calls));
    expect(calls.filter(({ started }) => started)).toEqual([]);
    expect(this.tree.copied).toMatchObject({ as: copying.as, from: rootId });
  }

  /** Calls that a person has approved. */
  readonly #approved = new Set<string>();
  readonly #commits: { events: readonly TreeEvent[]; time: number }[] = [];

  readonly #begun: CallRef[] = [];
  #day: Day | undefined;

  /** A sender without a receipt repeats its command: nothing happens twice, and another command under that id is refused. */
  #repeat(what: number): void {
    const sent = this.events.filter((event) => event.type === "message.added" && event.msgId !== undefined);
    const one = sent[what % Math.max(1, sent.length)];
    if (one?.type !== "message.added") return;
    const command = { type: "send", dialog: one.dialog, by: one.by, msgId: one.msgId } as const;
    expect(decide(this.tree, { ...command, content: "something else" }, this.#rules())).toMatchObject({
      refusal: { code: "msg_id_reused" },
    });
  }

  /** A tool finishes after its turn is over. Its result is recorded once, and nobody is woken. */
  #late(pick: number): void {
    const [ref] = this.#begun.splice(pick % Math.max(1, this.#begun.length), 1);
    if (!ref || runOf(this.tree, ref.dialog, ref.agent)?.turns.some((turn) => turn.id === ref.turn)) return;
    const ready = this.#ready();
    this.#take(decideCallEnd(this.tree, ref, { result: { output: "late" }, question: this.#newId() }, this.#rules()));
    expect(this.#ready()).toEqual(ready);
  }

  /** The daily limit: one question, and nobody thinks until it is answered. */
  #mayThinkToday(at: { dialog: DialogId; agent: AgentId }): boolean {
    const gate = dayGate(this.#day, this.#limits.costPerDay, this.#at);
    if (gate === "ask") this.#take(decideDayQuestion(this.tree, { ...at, question: this.#newId() }, this.#day, this.#rules()));
    return gate === "open";
  }

  #ready(): readonly string[] {
    return [...this.tree.ready.keys()].toSorted();
  }

  #begin(pick: number, what: number): void {
    const keys = this.#ready().filter((key) => !this.#flights.has(key));
    const key = keys[pick % Math.max(1, keys.length)];
    const run = key === undefined ? undefined : this.tree.runs.get(key);
    const step = run && nextMove(this.tree, run);
    if (key === undefined || !run || step?.kind !== "think" || !this.#mayThinkToday(run)) return;
    const view = this.#view(run.dialog, run.agent);
    const messages = [...view.show(this.tree.seq, step.turn.id)];
    const ref = { dialog: run.dialog, agent: run.agent, turn: step.turn.id, step: step.turn.steps + 1 };
    this.#flights.set(key, { ref, seen: this.tree.seq, parts: this.#parts(what, run.agent), messages });
  }

  #finish(pick: number): void {
    const [key, flight] = [...this.#flights][pick % Math.max(1, this.#flights.size)] ?? [];
    if (!key || !flight) return;
    this.#flights.delete(key);
    const { ref, seen, parts, messages } = flight;
    const words = this.#view(ref.dialog, ref.agent).words(ref.turn);
    const decision = decideStep(
      this.tree,
      ref,
      stepResult({
        parts,
        approvals: approvalsOf(parts),
        seen,
        words,
        cost: 0.5,
        ...(seen % 7 === 0 && !this.#isEnding && { finish: "length" as const }),
        newId: () => this.#newId(),
        ...(seen % 11 === 0 && !parts.some(isCall) && !this.#isEnding && { badOutput: "it has no verdict" }),
      }),
      this.#rules(),
    );
    // A request whose step was never committed is not part of the dialog.
    if (decision.ok) this.#check(key, this.#courseAt(ref.dialog, seen), messages);
    else this.#views.delete(key);
    this.#take(decision);
  }

  #act(pick: number, what: number): void {
    const keys = this.#ready().filter((key) => !this.#flights.has(key));
    const key = keys[pick % Math.max(1, keys.length)];
    const run = key === undefined ? undefined : this.tree.runs.get(key);
    const step = run && nextMove(this.tree, run);
    if (!run || step?.kind !== "act") return;
    const call = step.calls[what % step.calls.length];
    if (!call) return;
    const ref = { dialog: run.dialog, agent: run.agent, turn: step.turn.id, call: call.id };
    if (call.kind === "house") {
      const part = this.#view(run.dialog, run.agent).call(call.id);
      expect(part).toBeDefined();
      if (part) this.#take(decideHeldCall(this.tree, ref, part, this.#rules()));
      return;
    }
    if (call.tool === "pay") expect(this.#approved.has(call.id)).toBe(true);
    const isStaged = !call.repeatable && what % 5 === 2;
    if (!call.repeatable && !call.ran) this.#take(decideCallStart(this.tree, ref, isStaged));
    this.#begun.push(ref);
    if (isStaged && !call.ran) return this.#runOnLayer(ref, what);
    if (what % 4 === 1) return this.#askOf(ref, what);
    const result = { output: `result ${what % 3}`, ...(what % 3 === 0 && { undoable: true as const }) };
    this.#take(decideCallEnd(this.tree, ref, { result, question: this.#newId() }, this.#rules()));
  }

  /** A command has run on its layer. Its effects need approval, or are applied when the call continues. */
  #runOnLayer(ref: CallRef, what: number): void {
    const isAsked = what % 2 === 0 && !this.tree.questions.has(ref.call);
    const counts = { created: 0, changed: 0, emptied: 0, deleted: 1, moved: 0, lost: 1 };
    const effects = { files: [{ path: "work.txt", kind: "deleted" as const }], counts, bytes: 0, git: [], refused: [] };
    const judgement = isAsked ? { approval: { headline: "Run: rm work.txt", text: "deleted work.txt", tool: "pay" } } : {};
    this.#take(decideCallRan(this.tree, ref, { ran: { output: "ran", effects }, ...judgement }, this.#rules()));
    expect(turnAt(this.tree, ref)?.calls.find(({ id }) => id === ref.call)?.ran?.paths).toEqual(["work.txt"]);
  }

  /** A person undoes a command. The result is recorded now, or after other moves. */
  #undo(pick: number, what: number): void {
    const { applied } = this.tree;
    const one = applied[pick % Math.max(1, applied.length)];
    if (!one) return;
    const ready = [...this.tree.ready.keys()];
    if (!isBeingUndone(one)) this.#take(decide(this.tree, { type: "undo", dialog: one.dialog, call: one.call, by: "anna" }, this.#rules()));
    if (what % 2 === 0) {
      const ended = (["unknown", "failed"] as const)[what % 3];
      const result = one.byTool
        ? { conflicts: [], notes: [], output: "said", ...(ended && { ended }) }
        : what % 4 === 0
          ? { conflicts: [], notes: [] }
          : { conflicts: [{ path: "work.txt" }], notes: [] };
      this.#take(decideUndone(this.tree, one.call, result));
    }
    // Undoing opens or closes no gate.
    expect([...this.tree.ready.keys()]).toEqual(ready);
    expect(entryOf(this.tree)?.hot).toBe(ready.length > 0 || this.tree.applied.some(isBeingUndone) || this.tree.unwritten.length > 0);
  }

  /** An agent is changed while it waits. If it is pinned, a person is asked. */
  #define(pick: number, what: number): void {
    const turns = [...this.tree.runs.values()].flatMap(({ dialog, agent, turns }) => turns.map(({ id }) => ({ dialog, agent, turn: id })));
    const at = turns[pick % Math.max(1, turns.length)];
    if (!at) return;
    const definition = { role: String(what % 5), tools: "", schemas: "", model: "" };
    this.#take(decideDefinition(this.tree, at, { definition, isStrict: what % 2 === 0, question: this.#newId() }, this.#rules()));
  }

  /** A person settles a call with an unknown outcome, and another one settles it again. */
  #settle(pick: number, what: number): void {
    const { unsettled } = this.tree;
    const one = unsettled[pick % Math.max(1, unsettled.length)];
    if (!one) return;
    const ready = [...this.tree.ready.keys()];
    const settling = { type: "settle", dialog: one.dialog, call: one.call, as: what % 2 === 0 ? "done" : "failed" } as const;
    this.#take(decide(this.tree, { ...settling, by: "anna" }, this.#rules()));
    expect(this.tree.unsettled).toHaveLength(unsettled.length - 1);
    expect(decide(this.tree, { ...settling, by: "ben" }, this.#rules()).ok).toBe(false);
    expect([...this.tree.ready.keys()]).toEqual(ready);
    expect(entryOf(this.tree)?.unsettled?.length ?? 0).toBe(this.tree.unsettled.length);
  }

  /** A tool asks a person, with or without the state it needs to resume. */
  #askOf(ref: CallRef, what: number): void {
    const fields = what % 8 === 1 ? [{ name: "who", kind: "text" as const }] : [];
    const form = { key: String(this.#ids), fields, ...(what % 3 === 0 && { resume: { step: 1 } }) };
    this.#take(decideToolQuestion(this.tree, ref, { ...form, message: "Who?" }, this.#rules()));
  }

  /** A tool that waits for a person ends nevertheless. */
  #giveUp(pick: number): void {
    const waiting = [...this.tree.openQuestions.keys()].flatMap((id) => this.tree.questions.get(id) ?? []).filter((one) => one.fields);
    const asked = waiting[pick % Math.max(1, waiting.length)];
    if (asked?.turn === undefined || asked.call === undefined) return;
    const ref = { dialog: asked.dialog, agent: asked.agent, turn: asked.turn, call: asked.call };
    this.#take(
      decideCallEnd(this.tree, ref, { result: { outcome: "error", output: "tired of waiting" }, question: this.#newId() }, this.#rules()),
    );
    expect(this.tree.questions.get(asked.id)?.status).toBe("withdrawn");
  }

  #answer(question: QuestionId, what: number): void {
    const found = this.tree.questions.get(question);
    const by = "anna";
    if (found?.kind === "approval" && what % 5 === 0) {
      const heldParts = new Map(
        this.events.flatMap((event) => (event.type === "step.ended" ? event.parts.filter(isCall) : [])).map((part) => [part.call, part]),
      );
      this.#take(decide(this.tree, { type: "approve", question, by, scope: "task", pattern: "pay" }, { ...this.#rules(), heldParts }));
      expect(openApprovals(this.tree)).toEqual([]);
    } else if (found?.kind === "approval")
      this.#take(decide(this.tree, what % 2 ? { type: "approve", question, by } : { type: "deny", question, by }, this.#rules()));
    else if (found && found.options.length > 0) {
      const command = { type: "answer" as const, question, by, choice: [what % found.options.length] };
      const decision = decide(this.tree, command, this.#rules());
      const means = ["en", "zh"].flatMap((language) =>
        [LIMITS, HARSH_LIMITS].map((limits) =>
          meaningOf(decide(this.tree, command, { ...this.#rules(), ...rules(limits, this.#at), texts: texts[language as "en" | "zh"] })),
        ),
      );
      expect(new Set([...means, meaningOf(decision)]).size).toBe(1);
      this.#take(decision);
    } else this.#take(decide(this.tree, { type: "answer", question, by, content: "yes" }, this.#rules()));
  }

  /** Anything a model might produce: text, tool calls, asks of every kind, or nothing. */
  #parts(what: number, agent: AgentId): Part[] {
    const other = agents[what % agents.length] ?? lead;
    const house = (tool: string, input: unknown): CallPart => ({ call: callId(++this.#ids), tool, input, kind: "house" });
    const tool = (kind: "reads" | "effects"): CallPart => ({ call: callId(++this.#ids), tool: "look", input: {}, kind });
    const pay = (kind: "reads" | "effects"): CallPart => ({ ...tool(kind), tool: "pay" });
    const content = { tellaskContent: `ask ${this.tree.seq}` };
    const slug = ["a", "b"][what % 2] ?? "a";
    const kinds: (() => Part[])[] = [
      () => [says("done")],
      () => [says("done")],
      () => [says("done")],
      () => [],
      () => [says("【tellaskBack】\nwhat?")],
      () => [says(`{"open_questions": ["which ${what % 3}?", {"text": "sure?", "kind": "confirmation"}]}`)],
      () => [says('{"open_questions": [{"id"')],
      () => [says('{"open_questions": ["bye?"]}'), house("mark_done", {})],
      () => [says(`{"a": [{"openQuestions": ["WHICH ${what % 3}"]}]}`), tool("reads"), tool("effects")],
      () => [says('{"open_questions": ["how?"]}'), house("delegate", { delegations: [{ recipient: other, prompt: "look" }] })],
      () => [says('{"open_questions": ["how?"]}'), house("clear_mind", {}), house("cancel_asks", {})],
      () => [house("askHuman", { tellaskContent: "how" }), house("ask", { tellaskContent: "How?" })],
      () => [tool("reads"), tool("effects"), tool("effects")],
      () => [says("asking"), house("tellaskSessionless", { targetAgentId: other, ...content })],
      () => [house("tellask", { targetAgentId: other, sessionSlug: slug, ...content })],
      () => [
        house("tellask", { targetAgentId: other, sessionSlug: slug, ...content }),
        house("tellask", { targetAgentId: other, sessionSlug: slug, ...content }),
      ],
      () => [house("tellaskBack", content)],
      () => [house("tellaskBack", content), tool("effects")],
      () => [house("freshBootsReasoning", content)],
      () => [
        house("delegate", {
          delegations: [
            { recipient: other, prompt: "x", phase: "plan" },
            { recipient: coder, prompt: "y", phase: "plan" },
          ],
        }),
      ],
      () => [house("delegate", { delegations: [{ recipient: other, prompt: "x", phase: "plan" }], wait: "all", deadline: "1h" })],
      () => [house("askHuman", content)],
      () => [house("askHuman", { ...content, deadline: "1h" }), house("ask", content)],
      () => [house("cancel_asks", {}), tool("effects")],
      () => [pay("effects"), house("cancel_asks", {})],
      () => [house("end_session", { targetAgentId: other.toUpperCase(), sessionSlug: slug }), tool("effects")],
      () => [
        house("end_session", { targetAgentId: other, sessionSlug: slug }),
        house("tellask", { targetAgentId: other, sessionSlug: slug, ...content }),
      ],
      () => [house("end_session", { dialogId: [...this.tree.dialogs.keys()].at(-1) ?? "" })],
      () => [house("clear_mind", { reminder_content: "note" }), tool("effects")],
      () => [house("askHuman", content), house("clear_mind", {})],
      () => [says("all done"), house("mark_done", {})],
      () => [house("add_reminder", { content: "remember" })],
      () => [house("set_phase", { phase: "plan", summary: "x" }), says("planned")],
      () => [house("withdraw_question", { why: "no" })],
      () => [house("tellask", { targetAgentId: agent, sessionSlug: "self", ...content })],
      () => [house("nonsense", {})],
      () => [pay("effects"), pay("effects"), tool("effects")],
      () => [pay("reads"), house("clear_mind", {})],
      () => [pay("effects"), says("all"), house("mark_done", {})],
      () => [pay("effects"), house("askHuman", content), house("tellaskSessionless", { targetAgentId: other, ...content })],
    ];
    return (kinds[what % kinds.length] ?? (() => []))();
  }

  #view(at: DialogId, agent: AgentId): AgentView {
    const key = `${at}/${agent}`;
    const known = this.#views.get(key);
    if (known) return known;
    const place = { dialog: at, agent, nameOf: (one: AgentId) => one, texts: () => texts.en };
    const start = viewStart(this.tree, at, agent) - 1;
    const view = new AgentView(place, start);
    this.events.slice(start).forEach((event, nth) => view.receive(start + nth + 1, event));
    this.#views.set(key, view);
    return view;
  }

  #drop(key: string): void {
    this.#flights.delete(key);
    this.#views.delete(key);
  }

  #courseAt(at: DialogId, seen: number): number {
    return 1 + this.events.slice(0, seen).filter((event) => event.type === "course.started" && event.dialog === at).length;
  }

  /** Every request is valid: each call has one result right after it, and the request extends the one before. */
  #check(key: string, course: number, messages: readonly ModelMessage[]): void {
    messages.forEach((message, nth) => {
      if (message.role !== "assistant") return;
      const made = message.parts.filter(isCall).map((part) => part.call as string);
      const behind = messages.slice(nth + 1, nth + 1 + made.length).map((one) => (one.role === "result" ? (one.call as string) : one.role));
      expect(behind).toEqual(made);
    });
    const results = messages.filter((one) => one.role === "result").length;
    expect(results).toBe(messages.flatMap((one) => (one.role === "assistant" ? one.parts.filter(isCall) : [])).length);
    expect(messages.length).toBeGreaterThan(0);
    const before = this.#lastRequest.get(key);
    if (before?.course === course) expect(messages.slice(0, before.messages.length)).toEqual(before.messages);
    this.#lastRequest.set(key, { course, messages: [...messages] });
  }

  #take(decision: Decision<TreeEvent>): void {
    if (!decision.ok || decision.events.length === 0) return;
    const before = this.tree;
    this.tree = decision.after?.tree ?? applyAll(this.tree, decision.events, this.#at);
    for (const event of dayEvents({ before, events: decision.events, at: this.#at }, true))
      if (event.type === "day.spent" || event.type === "day.asked" || event.type === "day.decided") this.#day = changeDay(this.#day, event);
    this.#commits.push({ events: decision.events, time: this.#at });
    for (const event of decision.events) {
      this.events.push(event);
      for (const view of this.#views.values()) view.receive(this.events.length, event);
      if (event.type === "ask.answered") this.answered.set(event.ask, (this.answered.get(event.ask) ?? 0) + 1);
      if (event.type === "question.closed" && event.verdict === "approved") this.#approved.add(event.question);
      if (event.type === "question.closed") this.closed.set(event.question, (this.closed.get(event.question) ?? 0) + 1);
    }
    // Aborts steps whose turn has ended.
    for (const [key, { ref }] of this.#flights)
      if (!runOf(this.tree, ref.dialog, ref.agent)?.turns.some((turn) => turn.id === ref.turn)) this.#drop(key);
    const limits = [...this.tree.openQuestions.keys()].flatMap((id) => this.tree.questions.get(id)?.limit ?? []);
    expect(limits).toEqual([...new Set(limits)]);
    for (const id of this.tree.openQuestions.keys()) {
      const { kind, topic, dialog: at } = this.tree.questions.get(id) ?? {};
      if (at !== undefined && kind === "fault" && topic === undefined) expect(this.tree.dialogs.get(at)?.stopped).toBeDefined();
    }
    for (const one of this.tree.dialogs.values()) {
      if (!one.isEnded) continue;
      expect([turnsOf(this.tree, one), one.questions, one.waiting, one.status]).toEqual([
        [],
        [],
        [],
        expect.stringMatching(/completed|archived/),
      ]);
      expect([...this.tree.registry.values()].map((session) => session.dialog)).not.toContain(one.id);
    }
    const stuck = stuckAsk(this.tree);
    expect(stuck && `${stuck.kind} to ${stuck.recipient}`).toBeUndefined();
    for (const [key, run] of this.tree.runs.entries()) expect(this.tree.ready.has(key)).toBe(hasWork(this.tree, run));
  }

  /** People answer and models finish: everything open is answered, and nobody is left waiting. */
  finish(): void {
    this.#isEnding = true;
    for (let round = 0; round < 400; round++) {
      this.#at += this.#day?.isOver ? DAY_MS : 1_000;
      this.#take(decideExpiry(this.tree, this.#rules()));
      for (const one of this.tree.dialogs.values())
        if (one.stopped) this.#take(decide(this.tree, { type: "resume", dialog: one.id, by: "anna" }, this.#rules()));
      for (const id of this.tree.openQuestions.keys()) this.#answer(id as QuestionId, 1);
      for (const key of this.#ready()) {
        const run = this.tree.runs.get(key);
        const step = run && nextMove(this.tree, run);
        if (step?.kind === "act")
          this.#act(
            this.#ready()
              .filter((one) => !this.#flights.has(one))
              .indexOf(key),
            0,
          );
        if (step?.kind === "think" && run && !this.#flights.has(key) && this.#mayThinkToday(run)) {
          const messages = [...this.#view(run.dialog, run.agent).show(this.tree.seq, step.turn.id)];
          const ref = { dialog: run.dialog, agent: run.agent, turn: step.turn.id, step: step.turn.steps + 1 };
          this.#flights.set(key, { ref, seen: this.tree.seq, parts: [says("done")], messages });
        }
      }
      while (this.#flights.size > 0) this.#finish(0);
      if (this.tree.ready.size === 0 && this.tree.openQuestions.size === 0 && ![...this.tree.dialogs.values()].some((one) => one.stopped))
        break;
    }
    expect(this.#ready()).toEqual([]);
    expect([...this.tree.asks.values()].map((ask) => `${ask.kind} to ${ask.recipient}`)).toEqual([]);
    for (const run of this.tree.runs.values()) expect(run.turns).toEqual([]);
    for (const [id, times] of [...this.answered, ...this.closed]) {
      expect(`${id} ${times}`).toBe(`${id} 1`);
    }
    const opened = this.events.filter((event) => event.type === "ask.opened").length;
    expect(this.answered.size).toBe(opened);
  }

  #newId(): string {
    return callId(++this.#ids);
  }
}

function play(moves: readonly Move[]): void {
  const it = new Play();
  for (const one of moves) it.make(one);
  it.finish();
}

test("[A50] stopping a tree in which a session's guest asks that same session does not recurse for ever", () => {
  play([
    { kind: "think", pick: 0, what: 363 },
    { kind: "send", pick: 633, what: 0 },
    { kind: "fault", pick: 0, what: 0 },
    { kind: "answer", pick: 0, what: 291 },
    { kind: "think", pick: 0, what: 939 },
    { kind: "think", pick: 0, what: 586 },
    { kind: "stopTree", pick: 718, what: 0 },
  ]);
});

test("[A50][V4][V7][Q26][CA2][CA3] whatever models and people do, nobody waits for ever, nothing is answered twice, every request is valid", () => {
  fc.assert(fc.property(fc.array(move, { maxLength: 80, size: "max" }), play), { numRuns: Number(process.env["COLLOQUY_RUNS"] ?? 4_000) });
});
