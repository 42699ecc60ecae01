import { decideTitle, mainDialog } from "@colloquy/core";
import { mainDialogOf } from "@colloquy/schema";
import { askAside } from "./aside.ts";
import type { Engine } from "../engine/engine.ts";
import type { LiveTree } from "../engine/live-tree.ts";

/** A dialog that nobody has named gets its title from the model that is there for it; until then, and without one, it is the first line. */
export async function newTitle(engine: Engine, tree: LiveTree, content: string): Promise<void> {
  const dialog = mainDialog(tree.state);
  const runner = engine.deps.team().titleRunner?.();
  if (!dialog || !runner || engine.dayGate.spent()) return;
  const { text, ...how } = await askAside(
    engine,
    runner,
    { dialog: mainDialogOf(tree.rootId), agent: dialog.agent },
    engine.rulebook.texts().writeTitle,
    content,
  );
  await engine.writer.record(tree.rootId, (state) => decideTitle(state, dialog.title, text, how));
}
