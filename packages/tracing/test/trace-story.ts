import { call } from "@colloquy/testing/internals";
import type { Span } from "../src/span.ts";

export const TEAM = [
  { id: "lead", name: "Lead", role: "You lead.", tools: [], default: true },
  { id: "coder", name: "Coder", role: "You code.", tools: [] },
  { id: "reviewer", name: "Reviewer", role: "You review.", tools: [] },
];

export const delegateToBoth = call("delegate", {
  delegations: [
    { recipient: "coder", prompt: "Write it" },
    { recipient: "reviewer", prompt: "Read it" },
  ],
  wait: "all",
});

/** The spans as a tree of names, children by time. */
export function outline(spans: readonly Pick<Span, "name" | "spanId" | "parentId" | "startMs">[]): readonly string[] {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const below = (parent: string | undefined, indent: string): string[] =>
    spans
      .filter(({ parentId }) => (parentId !== undefined && known.has(parentId) ? parentId : undefined) === parent)
      .toSorted((one, other) => one.startMs - other.startMs)
      .flatMap((span) => [`${indent}${span.name}`, ...below(span.spanId, `${indent}  `)]);
  return below(undefined, "");
}
