import type { CallEffects, FileEffect } from "@colloquy/schema";
import { printable } from "../../tools/files/listing.ts";
import type { Diffs } from "./diffs.ts";

const MAX_CHARACTERS = 18_000;
const MAX_LIST_CHARACTERS = 9_000;
const MAX_DIFFS = 40;
/** Room for the line that says how many diffs are left out. */
const LEFT_OUT_CHARACTERS = 40;

/** Letters as in `git status`. `!` marks lost content. */
const LETTERS: Readonly<Record<FileEffect["kind"], string>> = {
  created: "A",
  changed: "M",
  emptied: "E",
  deleted: "D",
  moved: "R",
  mode: "T",
};

/** The list of effects, then diffs, for people in any language. */
export async function shownEffects(effects: CallEffects, diffs: Diffs): Promise<string> {
  const lines: string[] = [];
  const unlisted = filesIn(effects) - effects.files.reduce((sum, { files = 1 }) => sum + files, 0);
  let left = Math.max(0, unlisted);
  let length = 0;
  for (const [at, effect] of effects.files.entries()) {
    const line = lineOf(effect);
    if (length + line.length > MAX_LIST_CHARACTERS) {
      left += effects.files.length - at;
      break;
    }
    lines.push(line);
    length += line.length + 1;
  }
  if (left > 0) lines.push(`… ${left} more`);
  for (const fact of effects.git) lines.push(`git: ${fact}`);
  for (const fact of effects.reachesOut ?? []) lines.push(`! ${printable(fact)}`);
  for (const path of effects.refused) lines.push(`✗ ${printable(path)}`);
  const most = MAX_CHARACTERS - LEFT_OUT_CHARACTERS;
  let text = lines.join("\n").slice(0, most);
  // Folders have no diff; nor do files that only moved or got other permissions.
  const changed = effects.files.filter(({ files, kind }) => files === undefined && kind !== "moved" && kind !== "mode");
  let missing = Math.max(0, unlisted) + Math.max(0, changed.length - MAX_DIFFS);
  for (const [at, effect] of changed.slice(0, MAX_DIFFS).entries()) {
    const diff = await diffs.of(effect);
    if (diff === undefined) continue;
    if (text.length + diff.length + 2 > most) {
      const room = most - text.length - 8;
      if (room > 400) text = `${text}\n\n${diff.slice(0, room)}\n…`;
      missing += Math.min(MAX_DIFFS, changed.length) - at - (room > 400 ? 1 : 0);
      break;
    }
    text = `${text}\n\n${diff}`;
  }
  return missing > 0 ? `${text}\n\n… ${missing} diffs left out` : text;
}

const filesIn = ({ counts }: CallEffects): number => counts.created + counts.changed + counts.emptied + counts.deleted + counts.moved;

function lineOf({ path, kind, from, files, bytesBefore, bytes, isLost }: FileEffect): string {
  const name = printable(path) + (files === undefined ? "" : "/");
  const size = [bytesBefore, bytes].filter((one) => one !== undefined).join(" → ");
  const extent = [...(files === undefined ? [] : [`${files} ×`]), ...(size === "" ? [] : [`${size} B`])].join(", ");
  const way = from === undefined ? name : `${printable(from)} → ${name}`;
  return `${LETTERS[kind]}${isLost ? "!" : " "} ${way}${extent === "" ? "" : ` (${extent})`}`;
}
