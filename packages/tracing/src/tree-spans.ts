import { apply, type Tree } from "@colloquy/core";
import { type DialogId, isCall, type Line, type RootId, textOf, type TreeEvent, type TreeEventOf } from "@colloquy/schema";
import { GEN_AI } from "./names.ts";
import { PartSpans } from "./part-spans.ts";
import { type Attributes, part, type Span } from "./span.ts";
import { modelOf, type SpanOptions, SpanWriter, usageOf } from "./span-writer.ts";
import { TurnSpans } from "./turn-spans.ts";

/**
 * The spans of one tree, made from its lines alone: the same lines give the same spans with the same ids. Each is returned once, by the
 * line that ends it.
 */
export class TreeSpans {
  readonly #writer: SpanWriter;
  readonly #turns: TurnSpans;
  readonly #parts: PartSpans;
  /** Dialogs in which work may have started or ended. */
  #touched = new Set<DialogId>();

  constructor(rootId: RootId, options: SpanOptions = {}) {
    this.#writer = new SpanWriter(rootId, options);
    this.#turns = new TurnSpans(this.#writer);
    this.#parts = new PartSpans(this.#writer);
  }

  /** The last event that was folded. */
  get seq(): number {
    return this.#writer.tree.seq;
  }

  /** How many spans are open. */
  get size(): number {
    return this.#turns.size + this.#parts.size;
  }

  /** Takes the tree's next line, and returns the spans that end with it. */
  fold(line: Line): readonly Span[] {
    const atMs = Date.parse(line.at);
    this.#touched = new Set();
    for (const event of line.events as readonly TreeEvent[]) {
      const before = this.#writer.tree;
      this.#writer.tree = apply(before, event, atMs);
      this.#touched.add(event.dialog);
      this.#see(event, before, atMs);
    }
    for (const dialog of this.#touched) this.#turns.lookAt(dialog, atMs);
    return this.#writer.take();
  }

  #see(event: TreeEvent, before: Tree, atMs: number): void {
    const [writer, turns, parts] = [this.#writer, this.#turns, this.#parts];
    switch (event.type) {
      case "dialog.created":
        if (event.side) return;
        return writer.end({ spanId: writer.rootSpan, name: "colloquy.dialog", startMs: atMs, endMs: atMs, attributes: writer.here(event) });
      case "message.added":
        for (const agent of event.to) turns.hear(event, agent, atMs);
        return;
      case "message.acknowledged":
        return this.#acknowledge(event, atMs);
      case "step.attempted":
        turns.at(event)?.events.push({ name: "colloquy.step.retried", atMs, attributes: { "colloquy.step": event.step } });
        return;
      case "step.ended":
        return this.#endStep(event, atMs);
      case "step.cut":
        return this.#chat(event, atMs, { "colloquy.step.cut": true });
      case "call.started":
        return parts.startCall(event.call, { parentId: turns.parentIn(event), startMs: atMs });
      case "call.ended":
        return parts.endCall(event, turns.parentIn(event), atMs);
      case "turn.ended":
        return turns.end(event, atMs, { "colloquy.turn.cancelled": true });
      case "ask.opened":
        parts.openAsk(event, turns.at(event)?.spanId, atMs);
        this.#touched.add(event.to);
        if (!event.queued)
          turns.open({ dialog: event.to, agent: event.recipient }, atMs, {
            parentId: writer.id(part.ask(event.ask)),
            input: event.content,
          });
        return;
      case "assignment.begun":
        return turns.open(event, atMs, { parentId: writer.id(part.ask(event.ask)) });
      case "ask.answered":
        return this.#answer(event, before, atMs);
      case "question.asked": {
        const turn = event.turn === undefined ? undefined : turns.at({ ...event, turn: event.turn });
        return parts.openQuestion(event, turn?.spanId ?? writer.rootSpan, atMs);
      }
      case "question.discussed":
        parts.noteOnQuestion(event.question, event.type, { atMs, attributes: { "colloquy.by": event.by } });
        return turns.open(event, atMs, { parentId: writer.id(part.question(event.question)), input: event.content });
      case "question.revised":
      case "question.replied":
        return parts.noteOnQuestion(event.question, event.type, { atMs, attributes: {} });
      case "question.closed":
        return this.#close(event, before, atMs);
      case "dialog.stopped":
      case "dialog.resumed": {
        const reason = event.type === "dialog.stopped" ? event.reason.code : undefined;
        const attributes = { "colloquy.stop.reason": reason, "colloquy.by": event.by };
        for (const turn of turns.in(event.dialog)) turn.events.push({ name: event.type, atMs, attributes });
        return;
      }
      case "dialog.completed":
      case "dialog.archived":
      case "dialog.died":
      case "dialog.ended":
        return turns.endGone(atMs);
      default:
        return; // neither begins nor ends a span
    }
  }

  #acknowledge(event: TreeEventOf<"message.acknowledged">, atMs: number): void {
    const turn = this.#turns.oldest(event.dialog, event.agent);
    const { id, attributes } = modelOf(event.model);
    this.#writer.end({
      spanId: this.#writer.id(part.moment("busy", this.#writer.tree.seq)),
      parentId: turn?.spanId ?? this.#writer.rootSpan,
      name: "tenex.busy_responder.generate",
      kind: id === undefined ? "internal" : "client",
      startMs: turn?.heardMs.get(event.message) ?? atMs,
      endMs: atMs,
      attributes: {
        ...this.#writer.here(event),
        ...attributes,
        ...usageOf(event),
        "colloquy.message": event.message,
        "colloquy.stops_step": event.stops ?? false,
        ...this.#writer.message(GEN_AI.outputMessages, event.text, "assistant"),
      },
    });
  }

  #endStep(event: TreeEventOf<"step.ended">, atMs: number): void {
    this.#turns.step(event, atMs);
    const calls = event.parts.filter(isCall);
    const finish = event.finish ?? (calls.length > 0 ? "tool_call" : "stop");
    this.#chat(event, atMs, { ...usageOf(event), [GEN_AI.finishReasons]: [finish] });
    const parentId = this.#turns.parentIn(event);
    for (const made of calls) this.#parts.openCall(event, made, { parentId, startMs: atMs });
    if (event.ends) this.#turns.end(event, atMs);
  }

  #chat(event: TreeEventOf<"step.ended" | "step.cut">, atMs: number, more: Attributes): void {
    const { id, attributes } = modelOf("model" in event ? event.model : undefined);
    const isCut = event.type === "step.cut";
    this.#writer.end({
      spanId: this.#writer.id(isCut ? part.moment("cut", this.#writer.tree.seq) : part.step(event)),
      parentId: this.#turns.parentIn(event),
      name: id === undefined ? "chat" : `chat ${id}`,
      kind: "client",
      startMs: atMs - event.ms,
      endMs: atMs,
      attributes: {
        ...this.#writer.here(event),
        [GEN_AI.operation]: "chat",
        ...attributes,
        "colloquy.step": event.step,
        ...more,
        ...this.#writer.message(GEN_AI.outputMessages, textOf(event.parts), "assistant"),
      },
    });
  }

  #answer(event: TreeEventOf<"ask.answered">, before: Tree, atMs: number): void {
    const askSpan = this.#parts.endAsk(event, atMs);
    const to = before.asks.get(event.ask)?.to;
    if (to !== undefined) this.#touched.add(to);
    const asker = this.#turns.at(event);
    if (asker) this.#turns.check(asker, { ask: event.ask, askSpan, atMs });
  }

  #close(event: TreeEventOf<"question.closed">, before: Tree, atMs: number): void {
    const spanId = this.#parts.endQuestion(event, atMs);
    const question = before.questions.get(event.question);
    if (!question || spanId === undefined) return;
    for (const { dialog, agent, turn } of [question, ...question.alsoHolds]) {
      this.#touched.add(dialog);
      if (turn !== undefined) this.#turns.at({ dialog, agent, turn })?.woken.push({ spanId });
    }
  }
}
