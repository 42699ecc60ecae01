import type { CallEffects, FileEffect } from "@colloquy/schema";
import { printable } from "../../tools/files/listing.ts";
import type { Diffs } from "./diffs.ts";

const MAX_CHARACTERS = 18_000;
const MAX_LIST_CHARACTERS = 9_000;
const MAX_DIFFS = 40;

/** As git's status has them; `!`: what it held is lost. */
const LETTERS: Readonly<Record<FileEffect["kind"], string>> = {
  created: "A",
  changed: "M",
  emptied: "E",
  deleted: "D",
  moved: "R",
  mode: "T",
};

/** The list of effects, then diffs, for people, in any language: letters as in git's status. */
export async function shownEffects(effects: CallEffects, diffs: Diffs): Promise<string> {
  const lines: string[] = [];
  let length = 0;
  for (const [at, effect] of effects.files.entries()) {
    const line = lineOf(effect);
    if (length + line.length > MAX_LIST_CHARACTERS) {
      lines.push(`… ${effects.files.length - at} more`);
      break;
    }
    lines.push(line);
    length += line.length + 1;
  }
  for (const fact of effects.git) lines.push(`git: ${fact}`);
  for (const path of effects.refused) lines.push(`✗ ${printable(path)}`);
  let text = lines.join("\n");
  for (const effect of effects.files.slice(0, MAX_DIFFS)) {
    const diff = effect.files === undefined ? await diffs.of(effect) : undefined;
    if (diff === undefined) continue;
    if (text.length + diff.length + 2 > MAX_CHARACTERS) {
      const room = MAX_CHARACTERS - text.length - 8;
      if (room > 400) text = `${text}\n\n${diff.slice(0, room)}\n…`;
      break;
    }
    text = `${text}\n\n${diff}`;
  }
  return text.slice(0, MAX_CHARACTERS);
}

function lineOf({ path, kind, from, files, bytesBefore, bytes, isLost }: FileEffect): string {
  const name = printable(path) + (files === undefined ? "" : "/");
  const size = [bytesBefore, bytes].filter((one) => one !== undefined).join(" → ");
  const extent = [...(files === undefined ? [] : [`${files} ×`]), ...(size === "" ? [] : [`${size} B`])].join(", ");
  const way = from === undefined ? name : `${printable(from)} → ${name}`;
  return `${LETTERS[kind]}${isLost ? "!" : " "} ${way}${extent === "" ? "" : ` (${extent})`}`;
}
