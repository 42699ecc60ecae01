import {
  type AgentId,
  type CallPart,
  type DialogId,
  isCall,
  type ModelMessage,
  type Part,
  PHASES,
  type QuestionId,
  textOf,
  type TreeEvent,
} from "@colloquy/schema";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyAll } from "../state/apply.ts";
import { NEW_INTERACTION } from "../view/away-block.ts";
import { decideBusyReply } from "./busy-reply.ts";
import { decide } from "../commands/decide.ts";
import { decideCallEnd, decideCallStart } from "../step/decide-call.ts";
import type { Decision } from "../state/decision.ts";
import { decideStep } from "../step/decide-step.ts";
import { decideCut } from "../step/interrupted-step.ts";
import type { StepRef } from "../step/step-result.ts";
import { hasWork, nextMove } from "../gate/next-move.ts";
import { treeSnapshot } from "../state/snapshot.ts";
import { callId, coder, dialog, lead, reviewer, rootId, rules, says, stepResult } from "../testing.ts";
import { texts } from "../texts/texts.ts";
import { emptyTree, runOf, type Tree } from "../state/tree.ts";
import { AgentView } from "../view/view.ts";
import { viewStart } from "../view/view-start.ts";

const agents = [lead, coder, reviewer];

const move = fc.record({
  kind: fc.constantFrom(
    ..."think think think think begin begin finish finish act act send send send send answer busy phase stop resume clear crash cut".split(
      " ",
    ),
  ),
  pick: fc.nat(1000),
  what: fc.nat(1000),
});
interface Move {
  readonly kind: string;
  readonly pick: number;
  readonly what: number;
}

interface Flight {
  readonly ref: StepRef;
  readonly seen: number;
  readonly parts: readonly Part[];
  readonly messages: readonly ModelMessage[];
  readonly away: boolean;
}

/** Every text of a person or an agent is unique, so that it can be traced. */
const WORD = /⟦\d+⟧/g;
const wordsIn = (text: string): readonly string[] => text.match(WORD) ?? [];
const textIn = (message: ModelMessage): string =>
  message.role === "assistant" ? textOf(message.parts) : message.role === "result" ? message.output : message.text;
const isBlock = (message: ModelMessage): boolean => textIn(message).startsWith("=== MESSAGES WHILE YOU WERE AWAY ===");

/** People write to one or more agents, now or later. Agents speak, ask, read and hand over. Some are stopped, some crash. */
class Play {
  tree: Tree = emptyTree(rootId);
  events: TreeEvent[] = [];
  #commits: { events: readonly TreeEvent[]; time: number }[] = [];
  #views = new Map<string, AgentView>();
  #flights = new Map<string, Flight>();
  #sent = new Map<string, { course: number; messages: readonly ModelMessage[] }>();
  /** Texts that an agent in a dialog was ever sent. */
  #read = new Map<string, Set<string>>();
  #ids = 1_000;
  #words = 0;
  #at = 1_000;

  constructor() {
    this.#take({
      ok: true,
      seq: 2,
      events: [
        { type: "dialog.created", dialog, course: 1, agent: lead, title: "Hello", taskDocPath: "tasks/x.tsk/", by: "anna" },
        { type: "message.added", dialog, course: 1, by: "anna", content: this.#word(), to: [lead], opens: [lead] },
      ],
    });
  }

  #word = (): string => `⟦${++this.#words}⟧`;
  #rules = () => rules({ stepsPerTurn: 1_000, openAsks: 1_000, depth: 100, tokensPerTree: 1_000_000_000 }, this.#at);

  make({ kind, pick, what }: Move): void {
    this.#at += 1_000;
    const dialogs = [...this.tree.dialogs.values()].toSorted((a, b) => a.createdSeq - b.createdSeq);
    const at = dialogs[pick % dialogs.length]?.id ?? dialog;
    switch (kind) {
      case "think":
        this.#begin(pick, what);
        return this.#finish(pick);
      case "begin":
        return this.#begin(pick, what);
      case "finish":
        return this.#finish(pick);
      case "act":
        return this.#act(pick);
      case "send":
        return this.#send(at, what);
      case "answer":
        return this.#answer(pick);
      case "busy":
        return this.#busy(pick, what);
      case "phase": {
        const phase = PHASES[what % PHASES.length] ?? "chat";
        return this.#take(
          decide(this.tree, { type: "set_phase", dialog: at, by: "anna", phase, summary: `summary ${what}` }, this.#rules()),
        );
      }
      case "stop":
        return this.#take(decide(this.tree, { type: "stop", dialog: at, by: "anna" }, this.#rules()));
      case "resume":
        return this.#take(decide(this.tree, { type: "resume", dialog: at, by: "anna" }, this.#rules()));
      case "clear":
        if (what % 4 === 0) this.#take(decide(this.tree, { type: "clear_mind", dialog: at, by: "anna" }, this.#rules()));
        return;
      case "crash":
        return this.#crash();
      case "cut":
        return this.#cut(pick);
    }
  }

  #send(at: DialogId, what: number): void {
    const to = [undefined, [], [coder], [reviewer, lead], [coder, reviewer], [lead, coder, reviewer]][what % 6];
    const how = [{}, {}, { now: true }, { interrupt: true }][what % 4];
    const by = what % 5 === 0 ? "ben" : "anna";
    const command = { type: "send", dialog: at, by, content: this.#word(), ...(to && { mentions: to }), ...how } as const;
    this.#take(decide(this.tree, command, this.#rules()));
    if (what % 4 !== 3) return;
    for (const agent of to ?? [this.tree.dialogs.get(at)?.agent ?? lead]) this.#drop(`${at}/${agent}`);
  }

  /** A model's reply to the sender, and a note for the busy agent, about one of the last messages. */
  #busy(pick: number, what: number): void {
    const sent = this.events.flatMap((event, nth) =>
      event.type === "message.added" && event.to.length > 0 ? [{ event, seq: nth + 1 }] : [],
    );
    const { event, seq } = sent[sent.length - 1 - (pick % Math.min(3, sent.length))] ?? {};
    const agent = event?.to[what % event.to.length];
    if (!event || agent === undefined || seq === undefined) return;
    const reply = { text: "soon", note: `note ${seq}`, ...(what % 3 === 0 && { stops: true }) };
    this.#take(decideBusyReply(this.tree, { dialog: event.dialog, agent, message: seq }, reply, this.#rules()));
    if (reply.stops) this.#drop(`${event.dialog}/${agent}`);
  }

  #answer(pick: number): void {
    const open = [...this.tree.openQuestions.keys()].toSorted() as QuestionId[];
    const question = open[pick % Math.max(1, open.length)];
    if (question) this.#take(decide(this.tree, { type: "answer", question, by: "anna", content: "yes" }, this.#rules()));
  }

  #cut(pick: number): void {
    const [key, flight] = [...this.#flights][pick % Math.max(1, this.#flights.size)] ?? [];
    if (!key || !flight) return;
    this.#drop(key);
    this.#take(decideCut(this.tree, flight.ref, { parts: [says("half")], gen: 1, ms: 1 }));
  }

  #crash(): void {
    this.#flights.clear();
    this.#views.clear();
    const folded = this.#commits.reduce((tree, { events, time }) => applyAll(tree, events, time), emptyTree(rootId));
    expect(JSON.stringify(treeSnapshot(folded, 0))).toBe(JSON.stringify(treeSnapshot(this.tree, 0)));
    this.tree = folded;
  }

  #idle(): readonly string[] {
    return [...this.tree.ready.keys()].filter((key) => !this.#flights.has(key)).toSorted();
  }

  #begin(pick: number, what: number, parts?: readonly Part[]): void {
    const keys = this.#idle();
    const key = keys[pick % Math.max(1, keys.length)];
    const run = key === undefined ? undefined : this.tree.runs.get(key);
    const step = run && nextMove(this.tree, run);
    if (key === undefined || !run || step?.kind !== "think") return;
    const view = this.#view(run.dialog, run.agent);
    const messages = [...view.show(this.tree.seq, step.turn.id, run.lastProcessedMessageIndex > 0)];
    const ref = { dialog: run.dialog, agent: run.agent, turn: step.turn.id, step: step.turn.steps + 1 };
    const { followsTurn } = step.turn;
    // Agents addressed earlier by the same message are not working on it now.
    if (followsTurn && step.turn.steps === 0)
      expect(this.#flights.get(`${run.dialog}/${followsTurn.agent}`)?.ref.turn).not.toBe(followsTurn.turn);
    this.#flights.set(key, { ref, seen: this.tree.seq, parts: parts ?? this.#parts(what), messages, away: view.hasBlock });
  }

  #finish(pick: number): void {
    const [key, flight] = [...this.#flights][pick % Math.max(1, this.#flights.size)] ?? [];
    if (!key || !flight) return;
    this.#flights.delete(key);
    const { ref, seen, parts, messages, away } = flight;
    const words = this.#view(ref.dialog, ref.agent).words(ref.turn);
    const result = stepResult({ parts, seen, words, away, index: 1, newId: () => callId(++this.#ids) });
    const decision = decideStep(this.tree, ref, result, this.#rules());
    // A request whose step was never committed is not part of the dialog.
    if (decision.ok) this.#check(key, flight);
    else this.#views.delete(key);
    this.#take(decision);
    void messages;
  }

  #act(pick: number): void {
    const keys = this.#idle();
    const key = keys[pick % Math.max(1, keys.length)];
    const run = key === undefined ? undefined : this.tree.runs.get(key);
    const step = run && nextMove(this.tree, run);
    const call = step?.kind === "act" ? step.calls[pick % step.calls.length] : undefined;
    if (!run || step?.kind !== "act" || !call) return;
    const ref = { dialog: run.dialog, agent: run.agent, turn: step.turn.id, call: call.id };
    this.#take(decideCallStart(this.tree, ref));
    this.#take(
      decideCallEnd(this.tree, ref, { result: { output: `result ${this.tree.seq}` }, question: callId(++this.#ids) }, this.#rules()),
    );
  }

  #parts(what: number): readonly Part[] {
    const house = (tool: string, input: unknown): CallPart => ({ call: callId(++this.#ids), tool, input, kind: "house" });
    const look = (kind: "reads" | "effects"): CallPart => ({ call: callId(++this.#ids), tool: "look", input: { at: this.#ids }, kind });
    const other = agents[what % agents.length] ?? lead;
    const kinds: (() => Part[])[] = [
      () => [says(this.#word())],
      () => [says(this.#word())],
      () => [says(this.#word())],
      () => [says(this.#word()), look("reads"), look("effects")],
      () => [look("effects"), look("effects")],
      () => [house("askHuman", { tellaskContent: "which?" })],
      () => [says(this.#word()), house("tellaskSessionless", { targetAgentId: other, tellaskContent: `do ${this.tree.seq}` })],
      () => [
        house("delegate", {
          delegations: [
            { recipient: coder, prompt: "x", phase: "plan" },
            { recipient: reviewer, prompt: "y", phase: "plan" },
          ],
        }),
      ],
      () => [house("set_phase", { phase: PHASES[what % PHASES.length], summary: `handed on ${this.tree.seq}` })],
      () => [house("cancel_asks", {})],
      () => [],
    ];
    return (kinds[what % kinds.length] ?? (() => []))();
  }

  #view(at: DialogId, agent: AgentId): AgentView {
    const key = `${at}/${agent}`;
    const known = this.#views.get(key);
    if (known) return known;
    const start = viewStart(this.tree, at, agent) - 1;
    const view = new AgentView({ dialog: at, agent, nameOf: (one) => one, texts: () => texts.en, owner: this.tree.owner }, start);
    this.events.slice(start).forEach((event, nth) => view.receive(start + nth + 1, event));
    this.#views.set(key, view);
    return view;
  }

  #drop(key: string): void {
    if (this.#flights.delete(key)) this.#views.delete(key);
  }

  /** Checks what this agent must and may be shown of its dialog, using only the log. */
  #check(key: string, { ref, seen, messages }: Flight): void {
    const { dialog: at, agent } = ref;
    const known = this.events.slice(0, seen).map((event, nth) => ({ event, seq: nth + 1 }));
    const began = known.findLast(({ event }) => event.type === "course.started" && event.dialog === at)?.seq ?? 0;
    const course = known.filter(({ event }) => event.type === "course.started" && event.dialog === at).length;
    const before = this.#sent.get(key);
    const earlier = before?.course === course ? before.messages : [];

    // Each later request continues the earlier one.
    expect(messages.slice(0, earlier.length)).toEqual(earlier);

    // Every call has its one result, right after it.
    messages.forEach((message, nth) => {
      const made = message.role === "assistant" ? message.parts.filter(isCall).map((part) => part.call as string) : [];
      expect(
        messages.slice(nth + 1, nth + 1 + made.length).map((one) => (one.role === "result" ? (one.call as string) : one.role)),
      ).toEqual(made);
    });

    // Each message of the dialog is shown exactly once, except those waiting for another turn of this agent.
    const shown = messages.filter((message) => !isBlock(message) && message.role !== "result");
    const counts = new Map<string, number>();
    for (const word of shown
      .filter((one) => one.role !== "system" || !/^(?:\[System\]|Delegation responses)/.test(one.text))
      .flatMap((one) => wordsIn(textIn(one))))
      counts.set(word, (counts.get(word) ?? 0) + 1);
    const said = known.filter(({ event, seq }) => seq > began && event.dialog === at && this.#isSaid(event, agent));
    for (const { event } of said) for (const word of this.#wordsOf(event)) expect(`${word} ${counts.get(word) ?? 0}`).toBe(`${word} 1`);
    for (const [word, times] of counts) if (!this.#isOpening(messages, word)) expect(`${word} ${times}`).toBe(`${word} 1`);

    // In order.
    const isAddressed = (event: TreeEvent): boolean => event.type === "message.added" && event.dialog === at && event.to.includes(agent);
    const fresh = messages.slice(earlier.length);
    const placeOf = (word: string): number =>
      fresh.findIndex((one) => !isBlock(one) && !textIn(one).includes(": a new course starts, ") && wordsIn(textIn(one)).includes(word));
    const isShown = ({ event }: { readonly event: TreeEvent }): boolean => this.#wordsOf(event).some((word) => placeOf(word) >= 0);
    const order = known.filter(
      (one) => one.event.dialog === at && (this.#isSaid(one.event, agent) || isAddressed(one.event)) && isShown(one),
    );
    const places = order.flatMap(({ event }) => this.#wordsOf(event)).map(placeOf);
    if (ref.step === 1) expect(places).toEqual(places.toSorted((a, b) => a - b));

    // No text comes from another dialog, except in its answers.
    const heard = new Set(
      known
        .filter(({ event }) => event.dialog === at || (event.type === "ask.opened" && event.to === at))
        .flatMap(({ event }) => wordsIn(JSON.stringify(event))),
    );
    for (const word of messages.flatMap((one) => wordsIn(textIn(one)))) expect(heard.has(word)).toBe(true);

    const isFirst = ref.step === 1;
    if (isFirst) this.#checkTrigger(key, ref, seen, messages);

    // A block is shown if and only if it is due, with the marker after it, and neither appears anywhere else.
    const wasHere = known.some(({ event }) => event.type === "step.ended" && event.dialog === at && event.agent === agent);
    const trigger = Math.min(ref.turn, ...order.filter(({ event }) => isAddressed(event)).map(({ seq }) => seq));
    const isNew = said.some(
      ({ event, seq }) => seq < trigger && this.#wordsOf(event).some((word) => !earlier.some((one) => wordsIn(textIn(one)).includes(word))),
    );
    const blocks = fresh.filter(isBlock).length;
    expect(blocks).toBe(isFirst && wasHere && isNew ? 1 : 0);
    expect(fresh.filter((one) => textIn(one) === NEW_INTERACTION)).toHaveLength(blocks);
    messages.forEach((one, nth) => {
      if (isBlock(one)) expect(textIn(messages[nth + 1] as ModelMessage)).toBe(NEW_INTERACTION);
    });

    this.#sent.set(key, { course, messages });
    const read = this.#read.get(key) ?? new Set();
    for (const message of messages) for (const word of wordsIn(textIn(message))) read.add(word);
    this.#read.set(key, read);
  }

  /** People's words to others, other agents' words. */
  #isSaid(event: TreeEvent, agent: AgentId): boolean {
    if (event.type === "message.added") return !event.to.includes(agent);
    return event.type === "step.ended" && event.agent !== agent;
  }

  #wordsOf(event: TreeEvent): readonly string[] {
    if (event.type === "message.added") return wordsIn(event.content);
    return event.type === "step.ended" ? wordsIn(textOf(event.parts)) : [];
  }

  /** A new course's first message repeats what is owed. */
  #isOpening = (messages: readonly ModelMessage[], word: string): boolean =>
    messages.some((one) => one.role === "user" && one.text.includes(": a new course starts, ") && wordsIn(one.text).includes(word));

  /** The trigger appears once: the messages that this turn had not read. */
  #checkTrigger(_key: string, ref: StepRef, seen: number, messages: readonly ModelMessage[]): void {
    const turn = runOf(this.tree, ref.dialog, ref.agent)?.turns.find((one) => one.id === ref.turn);
    if (turn?.cause.kind !== "message") return;
    const trigger = turn.queue
      .filter((seq) => seq <= seen)
      .map((seq) => this.events[seq - 1])
      .flatMap((event) =>
        event?.type === "message.added" ? [event.by === "anna" ? event.content : `[${event.by}]: ${event.content}`] : [],
      );
    for (const text of trigger) expect(messages.filter((one) => one.role === "user" && one.text === text)).toHaveLength(1);
  }

  #take(decision: Decision<TreeEvent>): void {
    if (!decision.ok || decision.events.length === 0) return;
    this.tree = decision.after?.tree ?? applyAll(this.tree, decision.events, this.#at);
    this.#commits.push({ events: decision.events, time: this.#at });
    for (const event of decision.events) {
      this.events.push(event);
      for (const view of this.#views.values()) view.receive(this.events.length, event);
    }
    for (const [key, { ref }] of this.#flights)
      if (!runOf(this.tree, ref.dialog, ref.agent)?.turns.some((turn) => turn.id === ref.turn)) this.#drop(key);
    for (const [key, run] of this.tree.runs.entries()) expect(this.tree.ready.has(key)).toBe(hasWork(this.tree, run));
  }

  /** Everybody finishes. Then every addressed agent has read every word. */
  finish(): void {
    for (let round = 0; round < 300; round++) {
      this.#at += 1_000;
      for (const one of this.tree.dialogs.values())
        if (one.stopped) this.#take(decide(this.tree, { type: "resume", dialog: one.id, by: "anna" }, this.#rules()));
      this.#answer(0);
      while (this.#flights.size > 0) this.#finish(0);
      for (let nth = 0; nth < this.#idle().length; nth++) {
        this.#act(nth);
        this.#begin(nth, 0, [says(this.#word())]);
      }
      if (this.#idle().length === 0 && this.#flights.size === 0 && this.tree.openQuestions.size === 0) break;
    }
    for (const run of this.tree.runs.values()) expect(run.turns).toEqual([]);
    const cancelled = new Set(this.events.flatMap((event) => (event.type === "turn.ended" ? [`${event.dialog}/${event.agent}`] : [])));
    for (const event of this.events) {
      if (event.type !== "message.added") continue;
      for (const agent of event.to) {
        const key = `${event.dialog}/${agent}`;
        // The next turn, if there is one, reads what a cancelled turn had not read.
        if (!cancelled.has(key)) for (const word of wordsIn(event.content)) expect(this.#read.get(key)?.has(word)).toBe(true);
      }
    }
  }
}

test("[J10] [J11] [J12] [J13] [J15] [J30] [V4] [V7] whatever people, agents, pauses and crashes do, every agent is shown the right messages", () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 80, size: "max" }), (moves) => {
      const play = new Play();
      for (const one of moves) play.make(one);
      play.finish();
    }),
    { numRuns: Number(process.env["COLLOQUY_RUNS"] ?? 2_000) },
  );
});
