import type { CallPart, TreeEventOf } from "@colloquy/schema";
import { DELEGATION, GEN_AI } from "./names.ts";
import type { OpenPart } from "./open-spans.ts";
import { type Attributes, part } from "./span.ts";
import type { SpanWriter } from "./span-writer.ts";

/** The spans of calls, asks and questions. */
export class PartSpans {
  readonly #writer: SpanWriter;
  readonly #calls = new Map<string, OpenPart>();
  readonly #asks = new Map<string, OpenPart>();
  readonly #questions = new Map<string, OpenPart>();

  constructor(writer: SpanWriter) {
    this.#writer = writer;
  }

  get size(): number {
    return this.#calls.size + this.#asks.size + this.#questions.size;
  }

  openCall(event: TreeEventOf<"step.ended">, { call, tool, kind, input }: CallPart, open: Pick<OpenPart, "parentId" | "startMs">): void {
    this.#calls.set(call, {
      ...open,
      spanId: this.#writer.id(part.call(call)),
      name: `execute_tool ${tool}`,
      attributes: {
        ...this.#writer.here(event),
        [GEN_AI.operation]: "execute_tool",
        [GEN_AI.toolName]: tool,
        [GEN_AI.toolCall]: call,
        [GEN_AI.toolType]: "function",
        "colloquy.tool.kind": kind === "house" ? "builtin" : kind,
        ...this.#writer.content(GEN_AI.toolArguments, input === undefined ? undefined : JSON.stringify(input)),
      },
      events: [],
    });
  }

  startCall(id: string, open: Pick<OpenPart, "parentId" | "startMs">): void {
    const call = this.#calls.get(id);
    if (call) this.#calls.set(id, { ...call, ...open });
  }

  endCall(event: TreeEventOf<"call.ended">, parentId: string, atMs: number): void {
    const call = this.#calls.get(event.call);
    if (!call) return;
    this.#calls.delete(event.call);
    this.#writer.end({
      ...call,
      parentId,
      // A repeatable call has no recorded start: it follows from the duration.
      startMs: event.ms === undefined ? call.startMs : Math.max(call.startMs, atMs - event.ms),
      endMs: atMs,
      attributes: {
        ...call.attributes,
        "colloquy.call.outcome": event.outcome ?? "ok",
        ...this.#writer.content(GEN_AI.toolResult, event.output),
      },
      isError: event.outcome === "error" || event.outcome === "unknown",
    });
  }

  /** A call that asks ends at once; the answer ends its ask or question. */
  #endAskingCall(id: string | undefined, atMs: number): void {
    const call = id === undefined ? undefined : this.#calls.get(id);
    if (!call || id === undefined) return;
    this.#calls.delete(id);
    this.#writer.end({ ...call, endMs: atMs, attributes: { ...call.attributes, "colloquy.call.outcome": "ok" } });
  }

  openAsk(event: TreeEventOf<"ask.opened">, parentId: string | undefined, atMs: number): void {
    this.#endAskingCall(event.call, atMs);
    this.#asks.set(event.ask, {
      spanId: this.#writer.id(part.ask(event.ask)),
      parentId,
      name: `colloquy.ask ${this.#writer.nameOf(event.recipient)}`,
      startMs: atMs,
      attributes: {
        ...this.#writer.here(event),
        [DELEGATION.eventId]: event.ask,
        "colloquy.ask.kind": event.kind,
        "colloquy.ask.recipient": event.recipient,
        "colloquy.ask.dialog": event.to,
        [GEN_AI.toolCall]: event.call,
      },
      events: [],
    });
  }

  /** Returns the ask's span. */
  endAsk(event: TreeEventOf<"ask.answered">, atMs: number): string | undefined {
    const ask = this.#asks.get(event.ask);
    if (!ask) return undefined;
    this.#asks.delete(event.ask);
    const { outcome = "answered" } = event;
    this.#writer.end({
      ...ask,
      endMs: atMs,
      attributes: {
        ...ask.attributes,
        "colloquy.ask.outcome": outcome,
        ...this.#writer.message(GEN_AI.outputMessages, event.content, "assistant"),
      },
      isError: outcome === "failed" || outcome === "dead",
    });
    return ask.spanId;
  }

  openQuestion(event: TreeEventOf<"question.asked">, parentId: string, atMs: number): void {
    // The agent's own question ends its call; an approval or a tool's form holds one.
    if (!event.form && (event.kind === "question" || event.kind === "confirmation")) this.#endAskingCall(event.call, atMs);
    this.#questions.set(event.question, {
      spanId: this.#writer.id(part.question(event.question)),
      parentId,
      name: `colloquy.question ${event.kind}`,
      startMs: atMs,
      attributes: {
        ...this.#writer.here(event),
        "colloquy.question.id": event.question,
        "colloquy.question.kind": event.kind,
        "colloquy.question.tool": event.tool,
        "colloquy.question.limit": event.limit,
        "colloquy.question.asked_at": new Date(atMs).toISOString(),
        ...this.#writer.content("colloquy.question.text", `${event.headline}\n\n${event.text}`),
      },
      events: [{ name: "question.asked", atMs, attributes: {} }],
    });
  }

  noteOnQuestion(id: string, name: string, { atMs, attributes }: { readonly atMs: number; readonly attributes: Attributes }): void {
    this.#questions.get(id)?.events.push({ name, atMs, attributes });
  }

  /** Returns the question's span. */
  endQuestion(event: TreeEventOf<"question.closed">, atMs: number): string | undefined {
    const open = this.#questions.get(event.question);
    if (!open) return undefined;
    this.#questions.delete(event.question);
    this.#writer.end({
      ...open,
      endMs: atMs,
      attributes: {
        ...open.attributes,
        "colloquy.question.closed_as": event.as,
        "colloquy.question.answered_at": new Date(atMs).toISOString(),
        "colloquy.question.by": event.by,
        "colloquy.question.verdict": event.verdict,
        "colloquy.question.by_grant": event.byGrant,
        "colloquy.question.waited_ms": Math.max(0, atMs - open.startMs),
        ...this.#writer.content("colloquy.question.answer", event.content),
      },
      events: [...open.events, { name: `question.${event.as}`, atMs, attributes: { "colloquy.by": event.by } }],
    });
    return open.spanId;
  }
}
