import { decideTitle, mainDialog } from "@colloquy/core";
import { mainDialogOf } from "@colloquy/schema";
import { askAside } from "./aside.ts";
import type { AsideContext } from "./asides.ts";
import type { LiveTree } from "../engine/live-tree.ts";

/** The titling model names a dialog that nobody has named; until then, and without such a model, its title is the first line. */
export async function newTitle(context: AsideContext, tree: LiveTree, content: string): Promise<void> {
  const dialog = mainDialog(tree.state);
  const runner = context.deps.team().titleRunner?.();
  if (!dialog || !runner || context.dayGate.spent()) return;
  const { text, ...how } = await askAside(context, {
    runner,
    dialog: mainDialogOf(tree.rootId),
    agent: dialog.agent,
    system: context.rulebook.texts().writeTitle,
    text: content,
  });
  await context.writer.record(tree.rootId, (state) => decideTitle(state, dialog.title, text, how));
}
