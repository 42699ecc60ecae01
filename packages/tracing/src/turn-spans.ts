import { nextMove, runOf, type Turn, turnAt } from "@colloquy/core";
import { type AgentId, type DialogId, textOf, type TreeEventOf } from "@colloquy/schema";
import { DELEGATION, GEN_AI, RAL, type RalStatus } from "./names.ts";
import type { OpenTurn } from "./open-spans.ts";
import { type Attributes, part, type SpanLink } from "./span.ts";
import type { SpanWriter } from "./span-writer.ts";

type TurnPlace = { readonly dialog: DialogId; readonly agent: AgentId; readonly turn: number };

interface Opening {
  readonly parentId: string;
  readonly links?: readonly SpanLink[];
  /** What it was asked. */
  readonly input?: string;
}

/** The spans of turns, and of their stretches of work between two waits. */
export class TurnSpans {
  readonly #writer: SpanWriter;
  readonly #turns = new Map<string, OpenTurn>();
  readonly #byDialog = new Map<DialogId, Set<OpenTurn>>();

  constructor(writer: SpanWriter) {
    this.#writer = writer;
  }

  get size(): number {
    return this.#turns.size;
  }

  at = ({ dialog, agent, turn }: TurnPlace): OpenTurn | undefined => this.#turns.get(keyOf(dialog, agent, turn));
  /** The turn that messages to this agent join. */
  oldest = (dialog: DialogId, agent: AgentId): OpenTurn | undefined => [...this.in(dialog)].find((turn) => turn.agent === agent);
  in = (dialog: DialogId): Iterable<OpenTurn> => this.#byDialog.get(dialog) ?? [];

  /** The parent for spans of work in progress there. */
  parentIn(at: TurnPlace): string {
    const turn = this.at(at);
    return turn?.stretch?.spanId ?? turn?.lastStretchId ?? this.#writer.id(part.turn(at.turn, at.agent));
  }

  /** If the event that was just applied opened a turn there. */
  open({ dialog, agent }: Omit<TurnPlace, "turn">, atMs: number, { parentId, links = [], input }: Opening): void {
    const { tree } = this.#writer;
    const id = tree.seq;
    if (!turnAt(tree, { dialog, agent, turn: id })) return;
    const turn: OpenTurn = {
      id,
      dialog,
      agent,
      spanId: this.#writer.id(part.turn(id, agent)),
      parentId,
      startMs: atMs,
      attributes: { ...this.#writer.here({ dialog, agent }), ...this.#writer.message(GEN_AI.inputMessages, input, "user") },
      links,
      events: [],
      stretch: undefined,
      lastStretchId: undefined,
      woken: [],
      resumption: undefined,
      heardMs: new Map(),
      answeredAsks: 0,
      steps: 0,
      tokens: { input: 0, output: 0, cached: 0 },
      cost: 0,
      output: undefined,
    };
    this.#turns.set(keyOf(dialog, agent, id), turn);
    const others = this.#byDialog.get(dialog);
    if (others) others.add(turn);
    else this.#byDialog.set(dialog, new Set([turn]));
  }

  /** A message opens a turn, or waits for the next step of an open one. */
  hear(event: TreeEventOf<"message.added">, agent: AgentId, atMs: number): void {
    if (event.opens?.includes(agent))
      return this.open({ dialog: event.dialog, agent }, atMs, {
        parentId: this.#writer.rootSpan,
        links: linksTo(event.trace),
        input: event.content,
      });
    const turn = this.oldest(event.dialog, agent);
    if (!turn) return;
    const { seq } = this.#writer.tree;
    turn.heardMs.set(seq, atMs);
    const status: RalStatus = turn.stretch ? "executing" : "paused";
    const attributes = { "colloquy.message": seq, [RAL.status]: status, [RAL.pending]: this.pending(turn) };
    turn.events.push({ name: "ral.event_queued", atMs, attributes });
  }

  step(event: TreeEventOf<"step.ended">, atMs: number): void {
    const turn = this.at(event);
    if (!turn) return;
    this.#endResumption(turn, atMs - event.ms);
    const read = [...turn.heardMs.keys()].filter((seq) => seq <= event.seen);
    for (const seq of read) turn.heardMs.delete(seq);
    if (read.length > 0)
      turn.events.push({
        name: "ral.injections_persisted",
        atMs,
        attributes: { "ral.injections": read.length, "colloquy.step": event.step, [RAL.status]: "executing" },
      });
    turn.steps += 1;
    turn.tokens.input += event.usage?.input ?? 0;
    turn.tokens.output += event.usage?.output ?? 0;
    turn.tokens.cached += event.usage?.cachedInput ?? 0;
    turn.cost += event.cost ?? 0;
    if (event.ends) turn.output = event.whole ?? textOf(event.parts);
  }

  /** An ask was answered, perhaps the last one. `askSpan`: the span of that ask. */
  check(
    turn: OpenTurn,
    { ask, askSpan, atMs }: { readonly ask: string; readonly askSpan: string | undefined; readonly atMs: number },
  ): void {
    const { seq } = this.#writer.tree;
    turn.answeredAsks += 1;
    const links = askSpan === undefined ? [] : [{ spanId: askSpan }];
    const spanId = this.#writer.id(part.moment("check", seq));
    this.#writer.end({
      spanId,
      parentId: turn.spanId,
      name: "tenex.delegation.completion_check",
      startMs: atMs,
      endMs: atMs,
      attributes: this.#delegation(turn, ask, this.#isAtWork(turn) ? "executing" : "paused"),
      links,
    });
    turn.woken.push(...links);
    const { resumption } = turn;
    turn.resumption = {
      seq: resumption?.seq ?? seq,
      atMs,
      asks: [...(resumption?.asks ?? []), ask],
      links: [...(resumption?.links ?? []), { spanId }],
    };
  }

  end(at: TurnPlace, atMs: number, more: Attributes = {}): void {
    const turn = this.at(at);
    if (!turn) return;
    this.#turns.delete(keyOf(turn.dialog, turn.agent, turn.id));
    const others = this.#byDialog.get(turn.dialog);
    others?.delete(turn);
    if (others?.size === 0) this.#byDialog.delete(turn.dialog);
    this.#endResumption(turn, atMs);
    this.#endStretch(turn, atMs, "done");
    this.#writer.end({
      ...turn,
      name: `invoke_agent ${this.#writer.nameOf(turn.agent)}`,
      endMs: atMs,
      attributes: {
        ...turn.attributes,
        [GEN_AI.operation]: "invoke_agent",
        [GEN_AI.inputTokens]: turn.tokens.input,
        [GEN_AI.outputTokens]: turn.tokens.output,
        [GEN_AI.cachedTokens]: turn.tokens.cached,
        "colloquy.turn": turn.id,
        "colloquy.turn.steps": turn.steps,
        "colloquy.cost": turn.cost,
        [DELEGATION.completed]: turn.answeredAsks,
        [RAL.status]: "done",
        ...this.#writer.message(GEN_AI.outputMessages, turn.output, "assistant"),
        ...more,
      },
    });
  }

  /** Ends turns that ended without an event of their own. */
  endGone(atMs: number): void {
    for (const turn of this.#turns.values())
      if (!this.#stateOf(turn)) this.end({ ...turn, turn: turn.id }, atMs, { "colloquy.turn.cancelled": true });
  }

  /** Begins and ends the stretches of a dialog's turns. The gate decides what is working. */
  lookAt(dialog: DialogId, atMs: number): void {
    for (const turn of this.in(dialog)) {
      const isAtWork = this.#isAtWork(turn);
      if (isAtWork === (turn.stretch !== undefined)) continue;
      if (!isAtWork) this.#endStretch(turn, atMs, "paused");
      else {
        const spanId = this.#writer.id(part.stretch(turn.id, turn.agent, this.#writer.tree.seq));
        turn.stretch = { spanId, startMs: atMs, links: turn.woken };
        turn.woken = [];
      }
    }
  }

  pending(turn: OpenTurn): number {
    const state = this.#stateOf(turn);
    return state ? state.asks.length + state.wakingAsks.length : 0;
  }

  #endStretch(turn: OpenTurn, atMs: number, status: RalStatus): void {
    const { stretch } = turn;
    if (!stretch) return;
    turn.stretch = undefined;
    turn.lastStretchId = stretch.spanId;
    const { [DELEGATION.eventId]: _, ...attributes } = this.#delegation(turn, undefined, status);
    this.#writer.end({
      ...stretch,
      parentId: turn.spanId,
      name: "tenex.agent.execute",
      endMs: atMs,
      attributes: { ...attributes, "colloquy.turn": turn.id },
    });
  }

  /** From the answer that unblocked it until it continued: its wait for a lane, or for a process. */
  #endResumption(turn: OpenTurn, atMs: number): void {
    const { resumption } = turn;
    if (!resumption) return;
    turn.resumption = undefined;
    this.#writer.end({
      spanId: this.#writer.id(part.moment("resumption", resumption.seq)),
      parentId: turn.spanId,
      name: "tenex.delegation.resumption",
      startMs: resumption.atMs,
      endMs: Math.max(resumption.atMs, atMs),
      attributes: this.#delegation(turn, resumption.asks.at(-1), "executing"),
      links: resumption.links,
    });
  }

  #delegation(turn: OpenTurn, ask: string | undefined, status: RalStatus): Attributes {
    const pending = this.pending(turn);
    return {
      ...this.#writer.here(turn),
      [DELEGATION.allComplete]: pending === 0,
      [DELEGATION.pending]: pending,
      [DELEGATION.completed]: turn.answeredAsks,
      [DELEGATION.eventId]: ask,
      [RAL.status]: status,
      [RAL.pending]: pending,
    };
  }

  #isAtWork(turn: OpenTurn): boolean {
    const { tree } = this.#writer;
    const run = runOf(tree, turn.dialog, turn.agent);
    const move = run && nextMove(tree, run);
    return (move?.kind === "think" || move?.kind === "act") && move.turn.id === turn.id;
  }

  #stateOf = (turn: OpenTurn): Turn | undefined => turnAt(this.#writer.tree, { dialog: turn.dialog, agent: turn.agent, turn: turn.id });
}

const keyOf = (dialog: string, agent: string, turn: number): string => `${dialog} ${agent} ${turn}`;

/** The span of a request from outside, as its `traceparent` named it. */
function linksTo(trace: string | undefined): readonly SpanLink[] {
  const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-/.exec(trace ?? "") ?? [];
  return traceId && spanId ? [{ traceId, spanId }] : [];
}
