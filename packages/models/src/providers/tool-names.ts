import { createHash } from "node:crypto";
import type { ToolOffer } from "../port.ts";

const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/;

/** A name that every provider accepts. The same name always gives the same one, also for tools that are offered no more. */
export function legalToolName(name: string): string {
  if (LEGAL.test(name)) return name;
  // Two names that differ only in what is illegal must stay apart.
  const mark = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 55)}_${mark}`;
}

/** Finds the tool that a provider means. A name that was never offered stays as it came. */
export function toolNameReader(tools: readonly ToolOffer[]): (legal: string) => string {
  const names = new Map(tools.map(({ name }) => [legalToolName(name), name]));
  return (legal) => names.get(legal) ?? legal;
}
