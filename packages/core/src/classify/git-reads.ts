import { newScope } from "./shell-script.ts";
import { fromVerb } from "./started-by.ts";
import { programsIn } from "./unwrap.ts";

/** Git's verbs that show file contents. */
const SHOWS = new Set(
  "show cat-file log diff diff-tree diff-index diff-files difftool blame annotate grep archive whatchanged format-patch range-diff stash unpack-file checkout-index fast-export".split(
    " ",
  ),
);

/** Files whose content a command clearly asks git to show, resolved from git's folder. */
export function shownByGit(command: string, folder = "."): readonly { readonly path: string; readonly folder: string }[] {
  return programsIn(command, newScope(folder)).programs.flatMap(({ name, args, feed, folder: place }) => {
    if (name !== "git") return [];
    const [verb = "", ...words] = fromVerb(args);
    if (!SHOWS.has(verb)) return [];
    return [...words, ...(feed?.split(/\s+/) ?? [])].flatMap((word) => pathIn(word).map((path) => ({ path, folder: place })));
  });
}

/** `REVISION:path`, a path with pathspec magic, or a plain path. */
function pathIn(word: string): readonly string[] {
  const plain = word.startsWith("--path=") ? word.slice(7) : word;
  if (plain === "" || plain.startsWith("-")) return [];
  const path = plain.replace(/^:\([^)]*\)/, "");
  const colon = path.lastIndexOf(":");
  return [colon < 0 ? path : path.slice(colon + 1)].filter((part) => part !== "");
}
