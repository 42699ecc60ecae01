import { spawnSync } from "node:child_process";
import type { CallEffects, FileEffect } from "@colloquy/schema";
import { printable } from "../../tools/files/listing.ts";
import { statOf } from "../identity.ts";

const MAX_CHARACTERS = 18_000;
const MAX_LIST_CHARACTERS = 9_000;
const MAX_DIFF_BYTES = 400_000;
const MAX_DIFFS = 40;
const DIFF_MS = 2_000;

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
export function shownEffects(effects: CallEffects, before: (path: string) => string, after: (path: string) => string): string {
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
    const diff = diffOf(effect, before, after);
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

/** Nothing for what is no text, or too long to compare. Its own program, since it is in every system and this thread has other work. */
function diffOf({ path, kind, files }: FileEffect, before: (path: string) => string, after: (path: string) => string): string | undefined {
  if (files !== undefined || kind === "mode" || kind === "moved") return undefined;
  const [old, fresh] = [kind === "created" ? "/dev/null" : before(path), kind === "deleted" ? "/dev/null" : after(path)];
  if (!isComparable(old) || !isComparable(fresh)) return undefined;
  const label = (place: string) => ["--label", place === "/dev/null" ? place : printable(path)];
  const { status, stdout } = spawnSync("/usr/bin/diff", ["-u", ...label(old), ...label(fresh), "--", old, fresh], {
    env: { LC_ALL: "C.UTF-8" },
    encoding: "utf8",
    timeout: DIFF_MS,
    maxBuffer: 4 * MAX_DIFF_BYTES,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 1 && stdout.startsWith("--- ") ? stdout.trimEnd() : undefined;
}

function isComparable(place: string): boolean {
  if (place === "/dev/null") return true;
  const stat = statOf(place);
  return stat?.isFile() === true && stat.size <= MAX_DIFF_BYTES;
}
