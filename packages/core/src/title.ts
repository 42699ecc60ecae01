import type { TreeEvent, TreeEventOf } from "@colloquy/schema";
import { accept, type Decision } from "./decision.ts";
import { mainDialog, type Tree } from "./tree.ts";

const LONGEST = 80;

/** How a dialog, an ask or a question is called: the first line that says something, without Markdown's signs. */
export function headlineOf(content: string): string {
  const line = content.split("\n").find((one) => one.trim() !== "") ?? "";
  const plain = line.replace(/^[#>*\-\s]+/, "").trim() || line.trim();
  const letters = [...plain];
  return letters.length <= LONGEST
    ? plain
    : `${letters
        .slice(0, LONGEST - 1)
        .join("")
        .trimEnd()}…`;
}

/** What a model calls a dialog, unless a person has named it meanwhile. */
export function decideTitle(
  tree: Tree,
  before: string,
  written: string,
  how: Pick<TreeEventOf<"dialog.renamed">, "model" | "usage" | "cost">,
): Decision<TreeEvent> {
  const dialog = mainDialog(tree);
  const title = headlineOf(written.replaceAll(/["“”«»]/g, ""));
  if (!dialog || title === "" || dialog.title !== before) return accept(tree.seq, []);
  return accept(tree.seq + 1, [{ type: "dialog.renamed", dialog: dialog.id, course: dialog.course, title, ...how }]);
}
