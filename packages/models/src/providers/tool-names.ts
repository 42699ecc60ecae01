import { createHash } from "node:crypto";
import type { ToolOffer } from "../port.ts";

const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/;

/** A name that every provider accepts. Deterministic, also for tools that are no longer offered. */
export function legalToolName(name: string): string {
  if (LEGAL.test(name)) return name;
  // Names that differ only in illegal characters must stay distinct.
  const mark = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 55)}_${mark}`;
}

/** Finds the tool that a provider means. A name that was never offered stays unchanged. */
export function toolNameReader(tools: readonly ToolOffer[]): (legal: string) => string {
  const names = new Map(tools.map(({ name }) => [legalToolName(name), name]));
  return (legal) => names.get(legal) ?? legal;
}
