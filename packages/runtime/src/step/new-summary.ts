import { decideSummary, isSummaryDue, mainDialog } from "@colloquy/core";
import { mainDialogOf, textOf } from "@colloquy/schema";
import { askAside } from "./aside.ts";
import type { Engine } from "../engine/engine.ts";
import type { LiveTree } from "../engine/live-tree.ts";
import { readEvent } from "./sayings.ts";

/** Letters that the model is shown of the request and of the answer. */
const SHOWN_LETTERS = 4_000;

/** A conversation that nobody has summed up gets a summary from the model that names dialogs. Without one, its words speak for it. */
export async function newSummary(engine: Engine, tree: LiveTree): Promise<void> {
  const dialog = mainDialog(tree.state);
  const runner = engine.deps.team().titleRunner?.();
  if (!dialog || !runner || !isSummaryDue(dialog) || engine.dayGate.spent()) return;
  const { store } = engine.deps;
  const [asked, answered] = await Promise.all(
    [dialog.firstRequest, dialog.lastAnswer].map(async (one) => one && readEvent(store, tree.rootId, one.seq)),
  );
  const request = asked?.type === "message.added" ? asked.content : dialog.title;
  const answer = answered?.type === "step.ended" ? (answered.whole ?? textOf(answered.parts)) : "";
  const words = [dialog.written?.summary, request, answer].flatMap((text) => (text ? [text.slice(0, SHOWN_LETTERS)] : []));
  const { text, ...how } = await askAside(
    engine,
    runner,
    { dialog: mainDialogOf(tree.rootId), agent: dialog.agent },
    engine.rulebook.texts().writeSummary,
    words.join("\n\n---\n\n"),
  );
  await engine.writer.record(tree.rootId, (state) => decideSummary(state, text, how));
}
