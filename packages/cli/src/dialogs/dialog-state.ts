import type { DialogView } from "@colloquy/library";
import type { DialogEntry, ProjectAccess } from "../access/project-access.ts";
import type { Colours } from "../terminal/screen.ts";
import { ago } from "../terminal/time.ts";

export type State = DialogView["state"];

/** State is never shown by colour alone: each has a glyph. */
export const glyphs: Readonly<Record<State, string>> = {
  working: "●",
  waiting: "◐",
  asking: "◆",
  interrupted: "◇",
  stopped: "■",
  done: "✓",
  archived: "✓",
  dead: "✕",
  idle: "○",
};

/** Replaces the state's glyph if the log can't be read. */
export const DAMAGED = "✕";

/** Amber is reserved for what waits for a person. */
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
    idle: (text) => text,
  };
  return table[state];
}

/** A list entry, with data looked up in its tree. */
export interface Listed extends DialogEntry {
  /** Agents that its main dialog waits for. */
  readonly waitsFor: readonly string[];
  /** Why its log can't be read. */
  readonly damaged: string | undefined;
}

export const listed = (project: ProjectAccess, entries: readonly DialogEntry[]): Promise<readonly Listed[]> =>
  Promise.all(
    entries.map(async (entry) => {
      // An unreadable tree is still listed.
      const tree = entry.state === "waiting" ? await project.tree(entry.rootId).catch(() => undefined) : undefined;
      const waitsFor = tree?.waitsFor.filter((name) => name !== "person") ?? [];
      return { ...entry, waitsFor, damaged: project.damageOf(entry) };
    }),
  );

/** What it waits for: `waits for you (2 h) via coder, 3 questions`, `stopped: …`. Programs get no times. */
export function stateText(entry: Listed, nowMs: number | undefined): string {
  const { state } = entry;
  if (entry.damaged !== undefined) return `damaged: ${entry.damaged}`;
  if (entry.stopped !== undefined) return `stopped: ${entry.stopped}`;
  if (state === "waiting") return entry.waitsFor.length > 0 ? `waits for ${entry.waitsFor.join(", ")}` : "waits";
  const { questions = [] } = entry;
  const [oldest] = questions;
  if (state !== "asking" || !oldest) return state;
  const age = nowMs === undefined || ago(oldest.askedAt, nowMs) === "now" ? "" : ` (${ago(oldest.askedAt, nowMs)})`;
  if (oldest.kind === "fault") return `${oldest.agent} is stopped${age}`;
  const via = (oldest.dialog as string) === (entry.rootId as string) ? "" : ` via ${oldest.agent}`;
  return `waits for you${age}${via}${questions.length > 1 ? `, ${questions.length} questions` : ""}`;
}
