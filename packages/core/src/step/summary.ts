import type { TreeEvent, TreeEventOf } from "@colloquy/schema";
import { accept, type Decision } from "../state/decision.ts";
import { type Dialog, mainDialog, type Tree } from "../state/tree.ts";

/** Letters of the request and of the answer in a summary that no model has written. */
const MAX_EXCERPT_LETTERS = 240;

/** What a conversation is about: the latest hand-off, else a model's summary, else the first request and the last answer. */
export function summaryOf({ summary, written, firstRequest, lastAnswer }: Dialog): string | undefined {
  const excerpt = firstRequest && lastAnswer && `${firstRequest.text} → ${lastAnswer.text}`;
  return summary ?? written?.summary ?? excerpt;
}

/**
 * A model writes a summary after the first answer, and again when the conversation has four times as many messages. A hand-off takes
 * precedence.
 */
export const isSummaryDue = ({ summary, written, lastAnswer, messages }: Dialog): boolean =>
  summary === undefined && lastAnswer !== undefined && messages >= 4 * (written?.messages ?? 0);

/** Records a model's summary of a conversation. */
export function decideSummary(
  tree: Tree,
  summary: string,
  how: Pick<TreeEventOf<"dialog.summarised">, "model" | "usage" | "cost">,
): Decision<TreeEvent> {
  const dialog = mainDialog(tree);
  if (!dialog || summary.trim() === "") return accept(tree.seq, []);
  return accept(tree.seq + 1, [{ type: "dialog.summarised", dialog: dialog.id, course: dialog.course, summary: summary.trim(), ...how }]);
}

/** The text in one line, with at most this many letters. */
export function excerptOf(text: string, most = MAX_EXCERPT_LETTERS): string {
  // Each message is folded through here, so it reads only as much of a long text as is needed, and copies nothing letter by letter.
  const start = text.slice(0, 2 * most + 200).trim();
  const line = UNEVEN_SPACE.test(start) ? start.replaceAll(/\s+/g, " ") : start;
  if (line.length <= most) return line;
  let kept = 0;
  let end = 0;
  for (; kept < most - 1; kept += 1) end += isWide(line, end) ? 2 : 1;
  // The last letter fits if nothing follows it.
  const last = end + (isWide(line, end) ? 2 : 1);
  return last >= line.length ? line : `${line.slice(0, end).trimEnd()}…`;
}

/** Anything that one space should replace. */
const UNEVEN_SPACE = /[^\S ]|\s{2}/;

/** A letter beyond the basic plane takes two places. */
const isWide = (text: string, at: number): boolean => (text.codePointAt(at) ?? 0) > 0xffff;
