import type { ProjectGrant } from "@colloquy/core";
import type { CallPart } from "@colloquy/schema";
import type { RunRef } from "./run-ref.ts";

/** Does one of these let the call run without asking, here and now? */
export function isGranted(grants: readonly ProjectGrant[], { rootId, dialog }: RunRef, part: CallPart, nowMs: number): boolean {
  return grants.some(
    (grant) =>
      (grant.rootId === undefined || grant.rootId === rootId) &&
      (grant.dialog === undefined || grant.dialog === dialog) &&
      (grant.until === undefined || grant.until > nowMs) &&
      matches(grant.pattern, part),
  );
}

/** `tool`, or `tool(pattern)` where `*` stands for anything in the call's main argument. */
export function matches(pattern: string, part: Pick<CallPart, "tool" | "input">): boolean {
  const [, tool, argument] = /^([^(]+?)(?:\((.*)\))?$/s.exec(pattern.trim()) ?? [];
  if (tool === undefined || !glob(tool, part.tool)) return false;
  return argument === undefined || glob(argument, mainArgument(part.input), part.tool === "run_command" ? WORDS : ANYTHING);
}

const ANYTHING = String.raw`[\s\S]*`;
/** In a command `*` stands for more words, not for another command: who allowed "npm test*" did not allow "npm test; rm -rf /". */
const WORDS = String.raw`[^;&|<>$(){}\\\n\r\x60]*`;

/** The one text among the inputs, or all of them as JSON. */
function mainArgument(input: unknown): string {
  const values = input !== null && typeof input === "object" ? Object.values(input) : [input];
  const texts = values.filter((value) => typeof value === "string");
  return texts.length === 1 && values.length === 1 ? (texts[0] as string) : JSON.stringify(input);
}

function glob(pattern: string, text: string, wild = ANYTHING): boolean {
  const source = pattern
    .split(/(\*+)/)
    .map((piece) => (piece.startsWith("*") ? wild : piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")))
    .join("");
  return new RegExp(`^${source}$`).test(text);
}
