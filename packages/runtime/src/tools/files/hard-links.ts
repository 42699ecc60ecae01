// One file can have several names (hard links), and none of them is more real than the others. A file with more than one name is
// open only when all of its names are: each is found in the project, and none is hidden. Installed packages share their files
// with a cache elsewhere, so there it is enough that no name is hidden.
import { isInPackages } from "./hidden.ts";
import { type Facts, OpenFolder } from "./open-at.ts";
import { hiddenIn } from "../shell/stand-ins.ts";

export type LinkJudge = (facts: Facts, inside: string) => boolean;

/** Tells whether a file's other names are open too. Surveys the project once, at the first query. */
export function linkJudge(root: string): LinkJudge {
  let names: Names | undefined;
  return (facts, inside) => {
    if (facts.names <= 1) return true;
    names ??= namesIn(root);
    return !names.hidden.has(facts.identity) && (isInPackages(inside) || (names.open.get(facts.identity) ?? 0) >= facts.names);
  };
}

interface Names {
  readonly open: Map<string, number>;
  readonly hidden: Set<string>;
}

function namesIn(root: string): Names {
  const isHidden = hiddenIn(root);
  const names: Names = { open: new Map(), hidden: new Set() };
  const look = (folder: OpenFolder, inside: string, isBelowHidden: boolean): void => {
    for (const { name, kind } of folder.entries()) {
      const path = inside === "" ? name : `${inside}/${name}`;
      const hidden = isBelowHidden || isHidden(path);
      if (kind === "folder") folder.within(name, (child) => look(child, path, hidden));
      const facts = kind === "file" ? folder.facts(name) : undefined;
      if (!facts || facts.names <= 1) continue;
      if (hidden) names.hidden.add(facts.identity);
      else names.open.set(facts.identity, (names.open.get(facts.identity) ?? 0) + 1);
    }
  };
  OpenFolder.with(root, "", (folder) => look(folder, "", false));
  return names;
}
