import { hash } from "node:crypto";
import type { RootId } from "@colloquy/schema";

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** Something that happened at one moment of a span. */
export interface SpanEvent {
  readonly name: string;
  readonly atMs: number;
  readonly attributes: Attributes;
}

/** A span that has ended. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  /** `client`: a call of another system, such as a model. */
  readonly kind: "internal" | "client";
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  readonly isError: boolean;
}

/** A span in another place that led to this one. `traceId` is absent if it is in the same trace. */
export interface SpanLink {
  readonly traceId?: string;
  readonly spanId: string;
}

/** The trace of a tree: the first 32 digits of its id. */
export const traceIdOf = (rootId: RootId): string => rootId.slice(0, 32);

/** Always the same for one part of one tree: any process computes the same id. */
export const spanIdOf = (rootId: RootId, part: string): string => hash("sha256", `${rootId} ${part}`, "hex").slice(0, 16);

/** The names of a tree's parts, from which their spans' ids are made. */
export const part = {
  root: "dialog",
  turn: (turn: number, agent: string) => `turn ${turn} ${agent}`,
  /** A stretch of work between two waits, by the event that began it. */
  stretch: (turn: number, agent: string, seq: number) => `execute ${turn} ${agent} ${seq}`,
  step: ({ turn, agent, step }: { readonly turn: number; readonly agent: string; readonly step: number }) =>
    `step ${turn} ${agent} ${step}`,
  call: (call: string) => `call ${call}`,
  ask: (ask: string) => `ask ${ask}`,
  question: (question: string) => `question ${question}`,
  /** A moment, by its event. */
  moment: (kind: string, seq: number) => `${kind} ${seq}`,
};
