import type { Saying } from "@colloquy/react";
import { type Choice, effectLine, isCall, isSaying, isThinking, type Part, type Recorded, type UndoConflict } from "@colloquy/schema";

type CallPart = Extract<Part, { call: string }>;
type Of<Type extends Recorded["event"]["type"]> = Extract<Recorded["event"], { type: Type }>;

interface At {
  readonly seq: number;
  readonly at: number;
  /** Stays the same while a row grows. */
  readonly key: string;
}
export interface PersonRow extends At {
  readonly kind: "person";
  readonly by: string;
  readonly text: string;
  readonly to: readonly string[];
  /** Names of the pictures that came with it. */
  readonly images: readonly string[];
  /** No agent has been shown it yet. */
  readonly isUnread: boolean;
  readonly ack: string | undefined;
}
export interface SayingRow extends At {
  readonly kind: "saying" | "thinking";
  readonly agent: string;
  readonly text: string;
  readonly ms: number | undefined;
  readonly isCut: boolean;
  /** It is being said right now, and not recorded yet. */
  readonly isLive: boolean;
}
export interface CallRow extends At {
  readonly kind: "call";
  readonly agent: string;
  readonly call: string;
  readonly tool: string;
  readonly input: unknown;
  readonly output: string | undefined;
  readonly outcome: "error" | "refused" | "unknown" | undefined;
  readonly ms: number | undefined;
  /** Names of the pictures that it gave. */
  readonly images: readonly string[];
  /** What it did to the project, or will do once it is approved, a line for each file. */
  readonly effects: readonly string[];
  /** Waits for this question. */
  readonly held: string | undefined;
  /** It ran on a layer: once it is over without a problem, what it changed is applied. */
  readonly isOnLayer: boolean;
  readonly undo: UndoState | undefined;
}
/** Whether what a command changed was undone. */
export type UndoState =
  | { readonly kind: "asked" }
  | { readonly kind: "undone"; readonly by: string | undefined }
  | { readonly kind: "refused"; readonly why: "conflict" | "gone"; readonly conflicts: readonly UndoConflict[] };
export interface AskRow extends At {
  readonly kind: "ask";
  readonly agent: string;
  readonly ask: string;
  readonly isBack: boolean;
  readonly to: string;
  readonly recipient: string;
  readonly text: string;
  readonly isQueued: boolean;
  readonly answer: { readonly text: string; readonly outcome: string | undefined; readonly at: number } | undefined;
}
export interface AssignmentRow extends At {
  readonly kind: "assignment";
  readonly from: string;
  readonly fromDialog: string;
  readonly isBack: boolean;
  readonly text: string;
}
export interface QuestionRow extends At {
  readonly kind: "question";
  readonly question: string;
  readonly agent: string;
  readonly headline: string;
  readonly text: string;
  readonly options: readonly Choice[];
  readonly as: Of<"question.closed">["as"] | "open";
  readonly by: string | undefined;
  readonly answer: string | undefined;
  readonly closedAt: number | undefined;
}
export interface CourseRow extends At {
  readonly kind: "course";
  readonly course: number;
  readonly by: string | undefined;
  readonly isFull: boolean;
}
/** A line of the system. */
export interface LineRow extends At {
  readonly kind: "line";
  readonly event: Recorded["event"];
}
export interface CallsRow extends At {
  readonly kind: "calls";
  readonly calls: readonly CallRow[];
}
export type Row = PersonRow | SayingRow | CallRow | CallsRow | AskRow | AssignmentRow | QuestionRow | CourseRow | LineRow;

const ASK_TOOLS = new Set(["tellask", "tellaskSessionless", "tellaskBack", "freshBootsReasoning", "delegate", "askHuman", "ask"]);
/** Said in a line of its own. */
const LINE_TOOLS = new Set([
  "clear_mind",
  "mark_done",
  "add_reminder",
  "update_reminder",
  "delete_reminder",
  "set_phase",
  "record_decision",
]);
/** As many calls in a row are folded into one line. */
const FOLDED_FROM = 4;

/** What a person sees of a dialog: one pass over the events, in their order. */
export function transcript(events: readonly Recorded[], dialogId: string): readonly Row[] {
  const rows: Row[] = [];
  const places = new Map<string, number>();
  const add = (row: Row, ...names: readonly string[]) => {
    for (const name of names) places.set(name, rows.length);
    rows.push(row);
  };
  const change = <Kind extends Row["kind"]>(name: string, kind: Kind, next: (row: Extract<Row, { kind: Kind }>) => Row) => {
    const place = places.get(name);
    const row = place === undefined ? undefined : rows[place];
    if (place !== undefined && row?.kind === kind) rows[place] = next(row as Extract<Row, { kind: Kind }>);
  };
  const unread = new Map<number, Set<string>>();

  for (const { seq, at: time, event } of events) {
    const at = Date.parse(time);
    const here: At = { seq, at, key: `e${seq}` };
    if (event.type === "ask.opened" && (event.to as string) === dialogId) {
      add({
        ...here,
        key: `a${seq}`,
        kind: "assignment",
        from: event.agent,
        fromDialog: event.dialog,
        isBack: event.kind === "tellaskBack",
        text: event.content,
      });
    }
    if ((event.dialog as string) !== dialogId) continue;
    switch (event.type) {
      case "message.added":
        unread.set(seq, new Set(event.to));
        add(
          {
            ...here,
            kind: "person",
            by: event.by,
            text: event.content,
            to: event.to,
            images: event.images?.map(({ name }) => name) ?? [],
            isUnread: event.to.length > 0,
            ack: undefined,
          },
          `m${seq}`,
        );
        break;
      case "message.acknowledged":
        change(`m${event.message}`, "person", (row) => ({ ...row, ack: event.text }));
        break;
      case "step.ended":
      case "step.cut":
        if (event.type === "step.ended") {
          for (const [message, agents] of unread) {
            if (message > event.seen || !agents.has(event.agent)) continue;
            unread.delete(message);
            change(`m${message}`, "person", (row) => ({ ...row, isUnread: false }));
          }
        }
        let segment = 0;
        event.parts.forEach((part, nth) => {
          const place = { ...here, key: `e${seq}.${nth}` };
          if (isThinking(part) || isSaying(part)) {
            const key = segmentKey(event.course, event.gen, segment++);
            const text = isThinking(part) ? part.thinking : part.saying;
            if (text.trim() === "") return;
            const kind = isThinking(part) ? "thinking" : "saying";
            const isOnly = event.parts.length === 1 || nth === 0;
            const ms = isOnly ? event.ms : undefined;
            add({ ...here, key, kind, agent: event.agent, text, ms, isCut: event.type === "step.cut", isLive: false });
          } else if (isCall(part) && !isShownElsewhere(part)) {
            add(callRow(part, event.agent, place), `c${part.call}`);
          }
        });
        break;
      case "call.ran":
        change(`c${event.call}`, "call", (row) => ({
          ...row,
          isOnLayer: true,
          effects: [...event.effects.files.map(effectLine), ...event.effects.git],
        }));
        break;
      case "call.undo_asked":
        change(`c${event.call}`, "call", (row) => ({ ...row, undo: { kind: "asked" } }));
        break;
      case "call.undone":
        change(`c${event.call}`, "call", (row) => ({ ...row, undo: undoStateOf(event) }));
        if (event.refused === undefined) add({ ...here, kind: "line", event });
        break;
      case "call.ended":
        change(`c${event.call}`, "call", (row) => ({
          ...row,
          output: event.output,
          outcome: event.outcome,
          ms: event.ms,
          images: event.files?.flatMap(({ name, mediaType }) => (mediaType.startsWith("image/") ? [name] : [])) ?? [],
          held: undefined,
        }));
        break;
      case "call.released":
        if (event.call !== undefined) change(`c${event.call}`, "call", (row) => ({ ...row, held: undefined }));
        break;
      case "call.held":
        if (event.call !== undefined) change(`c${event.call}`, "call", (row) => ({ ...row, held: event.question }));
        break;
      case "ask.opened":
        add(
          {
            ...here,
            kind: "ask",
            agent: event.agent,
            ask: event.ask,
            isBack: event.kind === "tellaskBack",
            to: event.to,
            recipient: event.recipient,
            text: event.content,
            isQueued: event.queued === true,
            answer: undefined,
          },
          `a${event.ask}`,
        );
        break;
      case "ask.answered":
        change(`a${event.ask}`, "ask", (row) => ({ ...row, isQueued: false, answer: { text: event.content, outcome: event.outcome, at } }));
        break;
      case "question.asked":
        if (event.kind === "approval" && event.call !== undefined)
          change(`c${event.call}`, "call", (row) => ({ ...row, held: event.question }));
        add(
          {
            ...here,
            kind: "question",
            question: event.question,
            agent: event.agent,
            headline: event.headline,
            text: event.text,
            options: event.options ?? [],
            as: "open",
            by: undefined,
            answer: undefined,
            closedAt: undefined,
          },
          `q${event.question}`,
        );
        break;
      case "question.revised":
        change(`q${event.question}`, "question", (row) => ({
          ...row,
          headline: event.headline,
          text: event.text,
          options: event.options ?? row.options,
        }));
        break;
      case "question.closed": {
        const words = [event.verdict, ...(event.choice ?? []), event.content].filter((one) => one !== undefined && one !== "");
        const answer = words.length > 0 ? [...new Set(words)].join(" · ") : undefined;
        change(`q${event.question}`, "question", (row) => ({ ...row, as: event.as, by: event.by, answer, closedAt: at }));
        break;
      }
      case "course.started":
        add({ ...here, kind: "course", course: event.course, by: event.by, isFull: event.full === true });
        break;
      case "dialog.renamed":
      case "dialog.stopped":
      case "dialog.resumed":
      case "dialog.completed":
      case "dialog.reopened":
      case "dialog.archived":
      case "dialog.died":
      case "dialog.reassigned":
      case "dialog.ended":
      case "document.changed":
      case "reminder.added":
      case "phase.set":
      case "decision.recorded":
      case "notice.added":
        if (event.type !== "dialog.stopped" || event.reason.code !== "cascade") add({ ...here, kind: "line", event });
        break;
      default:
        break;
    }
  }
  return rows;
}

/** The row of what is said stays the same row when it is recorded: nothing is drawn anew, and nothing moves. */
const segmentKey = (course: number, gen: number, nth: number): string => `g${course}.${gen}.${nth}`;

/** What is being said right now, as the rows that its record will be. */
export function liveRows({ agent, course, gen, segments, startedAt }: Saying): readonly SayingRow[] {
  const row = { seq: Number.MAX_SAFE_INTEGER, at: startedAt, agent, ms: undefined, isCut: false };
  if (segments.length === 0) return [{ ...row, key: segmentKey(course, gen, 0), kind: "thinking", text: "", isLive: true }];
  return segments.map(({ kind, text, isFinished }, nth) => ({
    ...row,
    key: segmentKey(course, gen, nth),
    kind,
    text,
    isLive: !isFinished,
  }));
}

const isShownElsewhere = ({ tool, kind }: CallPart): boolean => kind === "house" && (ASK_TOOLS.has(tool) || LINE_TOOLS.has(tool));

const callRow = ({ call, tool, input }: CallPart, agent: string, place: At): CallRow => ({
  ...place,
  kind: "call",
  agent,
  call,
  tool,
  input,
  output: undefined,
  outcome: undefined,
  ms: undefined,
  images: [],
  effects: [],
  held: undefined,
  isOnLayer: false,
  undo: undefined,
});

const undoStateOf = ({ refused, conflicts = [], by }: Of<"call.undone">): UndoState =>
  refused === undefined ? { kind: "undone", by } : { kind: "refused", why: refused, conflicts };

/** What it changed is in the project, and nobody has undone it. */
export const canUndo = ({ isOnLayer, output, outcome, undo }: CallRow): boolean =>
  isOnLayer && output !== undefined && outcome === undefined && undo?.kind !== "undone";

/** Many finished calls in a row are one line that opens. */
export function folded(rows: readonly Row[], isOpen: (key: string) => boolean): readonly Row[] {
  const out: Row[] = [];
  let calls: CallRow[] = [];
  const flush = () => {
    const [first] = calls;
    if (first && calls.length >= FOLDED_FROM) {
      const row: CallsRow = { seq: first.seq, at: first.at, key: `calls ${first.key}`, kind: "calls", calls };
      out.push(row);
      if (isOpen(row.key)) out.push(...calls);
    } else out.push(...calls);
    calls = [];
  };
  for (const row of rows) {
    if (row.kind === "call" && row.output !== undefined && row.outcome !== "unknown") calls.push(row);
    else {
      flush();
      out.push(row);
    }
  }
  flush();
  return out;
}

/** One line that says what a call is about: a path, a command, the first short argument. */
export function callSummary(input: unknown): string {
  if (input === null || typeof input !== "object") return input === undefined || input === null ? "" : JSON.stringify(input);
  const all = input as Record<string, unknown>;
  const chosen =
    all.path ?? all.command ?? all.pattern ?? all.query ?? all.url ?? Object.values(all).find((one) => typeof one === "string");
  const text = typeof chosen === "string" ? chosen : chosen === undefined ? "" : JSON.stringify(chosen);
  return text.split("\n", 1)[0]?.slice(0, 160) ?? "";
}
