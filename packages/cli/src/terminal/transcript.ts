import type { Line, TreeEvent } from "@colloquy/library";
import { effectCounts, shortId } from "@colloquy/schema";
import { callText } from "./call-text.ts";
import { questionGlyphs } from "./question-card.ts";
import type { Screen } from "./screen.ts";
import { field } from "./table.ts";
import { clock } from "./time.ts";
import { visible } from "./visible.ts";
import { cut, padEnd, widthOf, wrap } from "./width.ts";

/** One thing that was said or done, for people. */
export interface Row {
  readonly at: string;
  readonly who: string;
  readonly kind: "message" | "unread" | "assignment" | "thought" | "said" | "called" | "asked" | "answer" | "question" | "note";
  readonly text: string;
}

/** Turns a tree's events into one dialog's history. `unread`: messages that haven't been read yet, by `seq`. */
export function rowsOf(lines: readonly Line<TreeEvent>[], dialog: string, unread: readonly number[]): readonly Row[] {
  const events = lines.flatMap((line) => line.events);
  const known = knownOf(events);
  const waiting = new Set(unread);
  return lines.flatMap(({ at, seq, events: together }) =>
    together.flatMap((event, nth) =>
      rowsOfEvent(at, event, dialog, known).map((row): Row =>
        waiting.has(seq + nth) && row.kind === "message" ? { ...row, kind: "unread" } : row,
      ),
    ),
  );
}

/** What later events say about earlier ones. */
interface Known {
  readonly outcomes: ReadonlyMap<string, string>;
  /** Commands' effects on the project, in numbers. */
  readonly effects: ReadonlyMap<string, string>;
  /** Calls that became an ask or a question, which have their own rows. */
  readonly asking: ReadonlySet<string>;
  readonly recipients: ReadonlyMap<string, string>;
  readonly headlines: ReadonlyMap<string, string>;
  readonly closed: ReadonlySet<string>;
}

function knownOf(events: readonly TreeEvent[]): Known {
  const outcomes = new Map<string, string>();
  const effects = new Map<string, string>();
  const asking = new Set<string>();
  const recipients = new Map<string, string>();
  const headlines = new Map<string, string>();
  const closed = new Set<string>();
  for (const event of events) {
    if (event.type === "call.ran") effects.set(event.call, effectCounts(event.effects));
    if (event.type === "call.ended") outcomes.set(event.call, event.outcome ?? "ok");
    if (event.type === "ask.opened") {
      recipients.set(event.ask, event.recipient);
      if (event.call !== undefined) asking.add(event.call);
    }
    if (event.type === "question.asked" || event.type === "question.revised") headlines.set(event.question, event.headline);
    if (event.type === "question.asked" && event.kind === "question" && event.call !== undefined) asking.add(event.call);
    if (event.type === "question.closed") closed.add(event.question);
  }
  return { outcomes, effects, asking, recipients, headlines, closed };
}

function rowsOfEvent(at: string, event: TreeEvent, dialog: string, known: Known): readonly Row[] {
  const row = (who: string | undefined, kind: Row["kind"], text: string): readonly Row[] => [
    { at, who: nameOf(who ?? "colloquy"), kind, text },
  ];
  const note = (who: string | undefined, text: string) => row(who, "note", text);
  if (event.type === "ask.opened" && event.to === dialog)
    return row(event.agent, "assignment", `${event.kind === "tellaskBack" ? "(asks back) " : ""}${event.content}`);
  if (event.dialog !== dialog) return [];
  switch (event.type) {
    case "message.added":
      return row(event.by, "message", [event.content, ...(event.images ?? []).map(({ name }) => `[${name}]`)].join(" "));
    case "step.ended":
      return rowsOfStep(at, event, known);
    case "step.cut":
      return event.parts.length === 0 ? [] : [...rowsOfStep(at, event, known), ...note(event.agent, "(stopped here)")];
    case "message.acknowledged":
      return note(event.agent, event.text);
    case "phase.set":
      return note(
        event.by ?? event.agent,
        `── ${event.phase} ──${[event.why, event.summary]
          .filter(Boolean)
          .map((words) => ` ${words}`)
          .join("")}`,
      );
    case "note.added":
      return note(undefined, event.text);
    case "definition.changed":
      return note(event.agent, `was changed while it waited: ${event.parts.join(", ")}`);
    case "call.undone":
      return event.refused === undefined ? note(event.by, `undid ${event.tool} ${shortId(event.call)}${said(event.output)}`) : [];
    case "call.settled":
      return note(event.by, `${event.undo ? "undo of " : ""}${event.tool} ${shortId(event.call)}: ${event.as}${said(event.note)}`);
    case "step.attempted":
      return note(undefined, "resumed after a crash");
    case "ask.opened":
      return row(event.agent, "asked", `→ ${event.recipient}${event.kind === "tellaskBack" ? " (asks back)" : ""}: ${event.content}`);
    case "ask.answered":
      return row(
        known.recipients.get(event.ask),
        "answer",
        event.outcome === undefined ? event.content : `(${event.outcome}) ${event.content}`,
      );
    case "question.asked":
      return row(event.agent, "question", questionText(event, known));
    case "question.revised":
      return note(event.agent, `asks instead: ${event.headline}`);
    case "question.discussed":
      return row(event.by, "answer", `(asks back) ${event.content}`);
    case "question.closed":
      return closingRow(at, event, known);
    case "reminder.added":
    case "reminder.updated":
      return note(event.by, `reminder ${event.reminder}: ${event.content}`);
    case "reminder.deleted":
      return note(event.by, `reminder ${event.reminder} is gone`);
    case "course.started":
      return note(event.by, `── course ${event.course}: a clear mind ──`);
    case "dialog.renamed":
      return note(event.by, `calls it "${event.title}"`);
    case "dialog.copied":
      return note(
        event.by,
        event.as === "fork" ? `⑂ fork of ${shortId(event.from)}, up to event ${event.at}` : `imported; it was ${shortId(event.from)}`,
      );
    case "dialog.stopped":
      return note(event.by, `■ stopped: ${event.reason.message}`);
    case "dialog.resumed":
      return note(event.by, "resumes it");
    case "dialog.completed":
      return note(event.by, "✓ done");
    case "dialog.reopened":
      return note(event.by, "opens it again");
    case "dialog.archived":
      return note(event.by, "✓ archived");
    case "dialog.died":
      return note(event.by, "✕ declares it dead");
    case "dialog.reassigned":
      return note(event.agent, "takes this dialog over");
    case "dialog.ended":
      return note(event.endedBy.agent, "✓ ends it: no longer needed");
    default:
      return [];
  }
}

const said = (text: string | undefined): string => (text === undefined || text === "" ? "" : `: ${text}`);

function questionText({ kind, question, headline }: Extract<TreeEvent, { type: "question.asked" }>, { closed }: Known): string {
  const verb = kind === "approval" ? "approve" : "answer";
  return `${questionGlyphs[kind]} ${headline}${closed.has(question) ? "" : `   → ${verb} ${question.slice(-6)}`}`;
}

/** A person's decision, or how it ended without one. */
function closingRow(at: string, event: Extract<TreeEvent, { type: "question.closed" }>, { headlines }: Known): readonly Row[] {
  const words = [event.verdict, event.choice?.join(", "), event.content === event.choice?.[0] ? undefined : event.content]
    .filter(Boolean)
    .join(" · ");
  if (event.by === undefined) {
    return [
      {
        at,
        who: "colloquy",
        kind: "note",
        text: `◆ "${headlines.get(event.question) ?? ""}" was ${event.as}${words === "" ? "" : `: ${words}`}`,
      },
    ];
  }
  return [{ at, who: nameOf(event.by), kind: "answer", text: event.as === "answered" ? words : `(${event.as}) ${words}`.trim() }];
}

const nameOf = (by: string): string => (by === "owner" ? "you" : by);

type Step = Extract<TreeEvent, { type: "step.ended" | "step.cut" }>;

/** Consecutive calls share a row. */
function rowsOfStep(at: string, { agent, parts }: Step, { outcomes, effects, asking }: Known): readonly Row[] {
  const rows: Row[] = [];
  for (const part of parts) {
    const last = rows.at(-1);
    if ("thinking" in part) rows.push({ at, who: agent, kind: "thought", text: part.thinking });
    else if ("saying" in part) rows.push({ at, who: agent, kind: "said", text: part.saying });
    else if (!asking.has(part.call)) {
      const mark = [marks[outcomes.get(part.call) ?? ""] ?? "…", effects.get(part.call)].filter(Boolean).join(" ");
      const text = `${callText(part.tool, part.input)} ${mark}`;
      if (last?.kind === "called") rows[rows.length - 1] = { ...last, text: `${last.text}   ${text}` };
      else rows.push({ at, who: agent, kind: "called", text });
    }
  }
  return rows.filter((row) => row.text.trim() !== "");
}

const marks: Readonly<Record<string, string>> = { ok: "✓", error: "✕", refused: "✕ not run", unknown: "✕ outcome unknown" };

/** A folded row shows this many lines. */
const FOLDED_LINES = 3;
const QUIET: ReadonlySet<Row["kind"]> = new Set(["thought", "called", "note", "asked"]);

interface RowLayout {
  readonly nowMs: number;
  readonly whoColumns: number;
  /** Only the first lines are shown. */
  readonly isFolded: boolean;
}

/** `12:03 lead      Two ways are possible …`; for programs time, kind, who and text, separated by tabs. */
export function rowText(screen: Screen, row: Row, { nowMs, whoColumns, isFolded }: RowLayout): string {
  if (!screen.isTerminal) return `${[row.at, row.kind, row.who, row.text].map(field).join("\t")}\n`;
  const time = clock(row.at, nowMs);
  const indent = widthOf(time) + 1 + whoColumns + 2;
  const words = `${row.kind === "unread" ? "(waiting to be read) " : ""}${visible(row.text).trim()}`;
  const lines = wrap(words, screen.columns - indent);
  const shown =
    isFolded && lines.length > FOLDED_LINES
      ? [...lines.slice(0, FOLDED_LINES - 1), cut(`${lines[FOLDED_LINES - 1]} …`, screen.columns - indent)]
      : lines;
  const { colours } = screen;
  const styled = shown.map((line) => (QUIET.has(row.kind) ? colours.dim(line) : row.kind === "question" ? colours.yellow(line) : line));
  const head = `${colours.dim(time)} ${colours.bold(padEnd(row.who, whoColumns))}  `;
  return `${head}${styled.join(`\n${" ".repeat(indent)}`)}\n`;
}
