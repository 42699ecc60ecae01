import { join } from "node:path";
import { statOf } from "../../identity.ts";
import type { GitChange } from "./git-facts.ts";
import { addedLines } from "./git-files.ts";

/** Git's unfinished work, by the file or folder that marks it. */
const UNFINISHED: Readonly<Record<string, string>> = {
  "rebase-merge": "rebase",
  "rebase-apply": "rebase",
  sequencer: "sequence of picks",
  MERGE_HEAD: "merge",
  CHERRY_PICK_HEAD: "cherry-pick",
  REVERT_HEAD: "revert",
  BISECT_LOG: "bisection",
};

/** Reflog lines of HEAD that say how such work was finished. */
const FINISHED = /\t(?:commit|rebase|pull|cherry-pick|revert|merge|am)\b(?![^:]*\(abort\))[^:]*: /;

/** Unfinished work that was thrown away, and large files of git lfs, which no commit contains. */
export function endedWork({ before, after, operations }: GitChange): readonly string[] {
  const isFinished = addedLines(join(before, "logs/HEAD"), join(after, "logs/HEAD")).some((line) => FINISHED.test(line));
  const ended = Object.entries(UNFINISHED).flatMap(([name, work]) =>
    statOf(join(before, name)) && !statOf(join(after, name)) && !isFinished ? [`unfinished ${work} discarded`] : [],
  );
  const large = operations.filter(
    ({ do: kind, path, before: old }) =>
      kind !== "meta" && old !== undefined && /^lfs(?:\/objects(?:\/|$)|$)/.test(path) && (kind === "remove" || old.kind === "file"),
  ).length;
  return [...new Set(ended), ...(large > 0 ? [`${large} ${large === 1 ? "object" : "objects"} of git lfs deleted or rewritten`] : [])];
}
