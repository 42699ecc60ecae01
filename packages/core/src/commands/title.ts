import type { TreeEvent, TreeEventOf } from "@colloquy/schema";
import { accept, type Decision } from "../state/decision.ts";
import { mainDialog, type Tree } from "../state/tree.ts";

const MAX_CHARACTERS = 80;

/** The title of a dialog, an ask or a question: the first line with text, without Markdown syntax. */
export function headlineOf(content: string): string {
  const said = content.trimStart();
  const end = said.search(/[\n\v\f\r\u0085\u2028\u2029]/);
  const line = (end < 0 ? said : said.slice(0, end)).trimEnd();
  const plain = line.replace(/^[#>*\-\s]+/, "") || line;
  return unitsOf(plain, MAX_CHARACTERS) === plain.length ? plain : `${plain.slice(0, unitsOf(plain, MAX_CHARACTERS - 1)).trimEnd()}…`;
}

/** The length of a text's first letters in UTF-16 units. Surrogate pairs are never split. */
function unitsOf(text: string, letters: number): number {
  let units = 0;
  for (let n = 0; n < letters && units < text.length; n += 1) units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  return units;
}

/** Sets a title written by a model, unless a person has named the dialog in the meantime. */
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
