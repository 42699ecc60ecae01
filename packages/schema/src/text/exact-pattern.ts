import type { CallPart } from "../message-parts.ts";
import { withVisibleControls } from "./visible-controls.ts";

/** What a pattern would not take literally: an agent's `rm build/*` would allow `rm build/x src` too. */
const WILDCARD = /[*?]/;

/**
 * The pattern of a grant that stands for the calls like this one: the same tool with the same command or file. Undefined if it would
 * name others too, or cannot be read as it is.
 */
export function exactPattern({ tool, input }: Pick<CallPart, "tool" | "input">): string | undefined {
  const { command, path } = (input ?? {}) as Readonly<Record<string, unknown>>;
  const about = command ?? path;
  if (typeof about !== "string") return tool;
  return WILDCARD.test(about) || withVisibleControls(about) !== about ? undefined : `${tool}(${about})`;
}
