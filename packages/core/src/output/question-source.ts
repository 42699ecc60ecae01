import type { DialogId, TreeEventOf } from "@colloquy/schema";
import { taskSource } from "../tasks/task.ts";
import type { Tree } from "../state/tree.ts";

/** Where a question comes from, as notifications name it. */
export type Source = Pick<TreeEventOf<"question.asked">, "source" | "sourceId">;

export const sourceOf = (tree: Tree, dialog: DialogId): Source =>
  tree.task ? taskSource(tree.task) : { source: "dialog", sourceId: dialog };
