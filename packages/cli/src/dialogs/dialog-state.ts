import type { DialogView } from "@colloquy/library";
import type { DialogEntry, ProjectAccess } from "../access/project-access.ts";
import type { Colours } from "../terminal/screen.ts";
import { ago } from "../terminal/time.ts";

export type State = DialogView["state"];

/** State is never colour alone: a glyph goes with it. */
export const glyphs: Readonly<Record<State, string>> = {
  working: "●",
  waiting: "◐",
  asking: "◆",
  interrupted: "◇",
  stopped: "■",
  done: "✓",
  archived: "✓",
  dead: "✕",
  resting: "○",
};

/** In place of the glyph of its state, where its log cannot be read. */
export const DAMAGED = "✕";

/** Amber is kept for what waits for a person. */
export function colourOf(state: State, colours: Colours): (text: string) => string {
  const table: Readonly<Record<State, (text: string) => string>> = {
    working: colours.cyan,
    waiting: (text) => text,
    asking: colours.yellow,
    interrupted: colours.yellow,
    stopped: colours.yellow,
    done: colours.green,
    archived: colours.dim,
    dead: colours.dim,
    resting: (text) => text,
  };
  return table[state];
}

/** An entry of a list, with what must be looked up in its tree. */
export interface Listed extends DialogEntry {
  /** Agents that its main dialog waits for. */
  readonly waitsFor: readonly string[];
  /** Why its log cannot be read. */
  readonly damaged: string | undefined;
}

export const listed = (project: ProjectAccess, entries: readonly DialogEntry[]): Promise<readonly Listed[]> =>
  Promise.all(
    entries.map(async (entry) => {
      // A tree that cannot be read is listed all the same.
      const tree = entry.state === "waiting" ? await project.tree(entry.rootId).catch(() => undefined) : undefined;
      const waitsFor = tree?.waitsFor.filter((name) => name !== "person") ?? [];
      return { ...entry, waitsFor, damaged: project.damageOf(entry) };
    }),
  );

/** What it waits for, in words: `waits for you (2 h) via coder`, `stopped: …`. Programs are given no times. */
export function stateText(entry: Listed, nowMs: number | undefined): string {
  const { state } = entry;
  if (entry.damaged !== undefined) return `damaged: ${entry.damaged}`;
  if (entry.stopped !== undefined) return `stopped: ${entry.stopped}`;
  if (state === "waiting") return entry.waitsFor.length > 0 ? `waits for ${entry.waitsFor.join(", ")}` : "waits";
  const [oldest] = entry.questions ?? [];
  if (state !== "asking" || !oldest) return state;
  const age = nowMs === undefined || ago(oldest.askedAt, nowMs) === "now" ? "" : ` (${ago(oldest.askedAt, nowMs)})`;
  if (oldest.kind === "fault") return `${oldest.agent} is stopped${age}`;
  return `waits for you${age}${(oldest.dialog as string) === (entry.rootId as string) ? "" : ` via ${oldest.agent}`}`;
}
