import type { Line, TreeEvent } from "@colloquy/library";
import { callText } from "./call-text.ts";
import type { Screen } from "./screen.ts";
import { field } from "./table.ts";
import { clock } from "./time.ts";
import { visible } from "./visible.ts";
import { padEnd, widthOf, wrap } from "./width.ts";

/** One thing that was said or done, as people read it. */
export interface Row {
  readonly at: string;
  readonly who: string;
  readonly kind: "message" | "unread" | "thought" | "said" | "called" | "note";
  readonly text: string;
}

/** Turns the events of a dialog into rows. `unread`: how many of the last messages nobody has read yet. */
export function rowsOf(lines: readonly Line<TreeEvent>[], unread: number): readonly Row[] {
  const outcomes = new Map<string, string>();
  for (const event of lines.flatMap((line) => line.events))
    if (event.type === "call.ended") outcomes.set(event.call, event.outcome ?? "ok");
  const rows = lines.flatMap(({ at, events }) => events.flatMap((event) => rowsOfEvent(at, event, outcomes)));
  const messages = rows.flatMap((row, nth) => (row.kind === "message" ? [nth] : []));
  const waiting = new Set(unread > 0 ? messages.slice(-unread) : []);
  return rows.map((row, nth) => (waiting.has(nth) ? { ...row, kind: "unread" } : row));
}

function rowsOfEvent(at: string, event: TreeEvent, outcomes: ReadonlyMap<string, string>): readonly Row[] {
  const note = (who: string | undefined, text: string): readonly Row[] => [{ at, who: nameOf(who ?? "colloquy"), kind: "note", text }];
  switch (event.type) {
    case "message.added":
      return [{ at, who: nameOf(event.by), kind: "message", text: event.content }];
    case "step.ended":
      return rowsOfStep(at, event, outcomes);
    case "step.cut":
      return [...rowsOfStep(at, event, outcomes), ...note(event.agent, "(stopped here)")];
    case "note.added":
      return note(undefined, event.text);
    case "step.attempted":
      return note(undefined, "goes on after a crash");
    case "dialog.renamed":
      return note(event.by, `calls it "${event.title}"`);
    case "dialog.stopped":
      return note(event.by, `■ stopped: ${event.reason.message}`);
    case "dialog.resumed":
      return note(event.by, "lets it go on");
    case "dialog.completed":
      return note(event.by, "✓ done");
    case "dialog.reopened":
      return note(event.by, "opens it again");
    case "dialog.archived":
      return note(event.by, "✓ archived");
    default:
      return [];
  }
}

const nameOf = (by: string): string => (by === "owner" ? "you" : by);

type Step = Extract<TreeEvent, { type: "step.ended" | "step.cut" }>;

/** Calls that stand together are one row. */
function rowsOfStep(at: string, { agent, parts }: Step, outcomes: ReadonlyMap<string, string>): readonly Row[] {
  const rows: Row[] = [];
  for (const part of parts) {
    const last = rows.at(-1);
    if ("thinking" in part) rows.push({ at, who: agent, kind: "thought", text: part.thinking });
    else if ("saying" in part) rows.push({ at, who: agent, kind: "said", text: part.saying });
    else {
      const text = `${callText(part.tool, part.input)} ${marks[outcomes.get(part.call) ?? ""] ?? "…"}`;
      if (last?.kind === "called") rows[rows.length - 1] = { ...last, text: `${last.text}   ${text}` };
      else rows.push({ at, who: agent, kind: "called", text });
    }
  }
  return rows.filter((row) => row.text.trim() !== "");
}

const marks: Readonly<Record<string, string>> = { ok: "✓", error: "✕", refused: "✕ not run", unknown: "✕ outcome unknown" };

/** Rows of which more is shown than a few lines. */
const FOLDED_LINES = 3;

/** `12:03 lead      Two ways are possible …`; for programs time, kind, who and text, separated by tabs. */
export function rowText(screen: Screen, row: Row, nowMs: number, whoColumns: number, isFolded: boolean): string {
  if (!screen.isTerminal) return `${[row.at, row.kind, row.who, row.text].map(field).join("\t")}\n`;
  const time = clock(row.at, nowMs);
  const indent = widthOf(time) + 1 + whoColumns + 2;
  const words = `${row.kind === "unread" ? "(waiting to be read) " : ""}${visible(row.text).trim()}`;
  const lines = wrap(words, screen.columns - indent);
  const shown = isFolded && lines.length > FOLDED_LINES ? [...lines.slice(0, FOLDED_LINES - 1), `${lines[FOLDED_LINES - 1]} …`] : lines;
  const { colours } = screen;
  const isQuiet = row.kind === "thought" || row.kind === "called" || row.kind === "note";
  const styled = shown.map((line) => (isQuiet ? colours.dim(line) : line));
  const head = `${colours.dim(time)} ${colours.bold(padEnd(row.who, whoColumns))}  `;
  return `${head}${styled.join(`\n${" ".repeat(indent)}`)}\n`;
}
