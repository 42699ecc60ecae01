import type { AgentId, DialogId } from "@colloquy/schema";
import type { Attributes, SpanEvent, SpanLink } from "./span.ts";

/** A turn that has not ended. */
export interface OpenTurn {
  readonly id: number;
  readonly dialog: DialogId;
  readonly agent: AgentId;
  readonly spanId: string;
  readonly parentId: string;
  readonly startMs: number;
  readonly attributes: Attributes;
  readonly links: readonly SpanLink[];
  readonly events: SpanEvent[];
  /** Its current stretch of work; absent while it waits. */
  stretch: Stretch | undefined;
  /** The last stretch, to which late results belong. */
  lastStretchId: string | undefined;
  /** What woke it since it last worked. */
  woken: SpanLink[];
  /** Set if an awaited answer has come and it has not taken a step since. */
  resumption: Resumption | undefined;
  /** Arrival times of unread messages, by event. */
  readonly heardMs: Map<number, number>;
  answeredAsks: number;
  steps: number;
  readonly tokens: { input: number; output: number; cached: number };
  cost: number;
  output: string | undefined;
}

export interface Stretch {
  readonly spanId: string;
  readonly startMs: number;
  readonly links: readonly SpanLink[];
}

export interface Resumption {
  readonly seq: number;
  readonly atMs: number;
  readonly asks: readonly string[];
  readonly links: readonly SpanLink[];
}

/** An ask, a question or a call that has no answer or result. */
export interface OpenPart {
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly startMs: number;
  readonly attributes: Attributes;
  readonly events: SpanEvent[];
}
