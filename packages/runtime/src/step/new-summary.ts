import { decideSummary, isSummaryDue, mainDialog } from "@colloquy/core";
import { mainDialogOf, textOf } from "@colloquy/schema";
import { askAside } from "./aside.ts";
import type { AsideContext } from "./asides.ts";
import type { LiveTree } from "../engine/live-tree.ts";
import { readEvent } from "./sayings.ts";

/** Bounds, in characters, of the request and the answer shown to the model. */
const MAX_SHOWN_LETTERS = 4_000;

/**
 * The model that names dialogs summarizes a conversation when a summary is due (`isSummaryDue`). Without such a model the conversation's
 * own words are used.
 */
export async function newSummary(context: AsideContext, tree: LiveTree): Promise<void> {
  const dialog = mainDialog(tree.state);
  const runner = context.deps.team().titleRunner?.();
  if (!dialog || !runner || !isSummaryDue(dialog) || context.dayGate.spent()) return;
  const { store } = context.deps;
  const [asked, answered] = await Promise.all(
    [dialog.firstRequest, dialog.lastAnswer].map(async (one) => one && readEvent(store, tree.rootId, one.seq)),
  );
  const request = asked?.type === "message.added" ? asked.content : dialog.title;
  const answer = answered?.type === "step.ended" ? (answered.whole ?? textOf(answered.parts)) : "";
  const words = [dialog.written?.summary, request, answer].flatMap((text) => (text ? [text.slice(0, MAX_SHOWN_LETTERS)] : []));
  const { text, ...how } = await askAside(context, {
    runner,
    dialog: mainDialogOf(tree.rootId),
    agent: dialog.agent,
    system: context.rulebook.texts().writeSummary,
    text: words.join("\n\n---\n\n"),
  });
  await context.writer.record(tree.rootId, (state) => decideSummary(state, text, how));
}
