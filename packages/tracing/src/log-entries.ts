import type { Line, ProjectEvent, RootId, TreeEvent } from "@colloquy/schema";
import { part, spanIdOf, traceIdOf } from "./span.ts";

/** One line of a server's log, for programs that collect logs. Field names are those of OpenTelemetry's log model. */
export interface LogEntry {
  readonly time: string;
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly trace_id?: string | undefined;
  readonly span_id?: string | undefined;
  readonly [detail: string]: string | number | boolean | undefined;
}

type Level = LogEntry["level"];
type Details = Readonly<Record<string, string | number | boolean | undefined>>;
/** What a log says of an event; `of`: the part whose span it belongs to. */
type Note = { readonly level?: Level; readonly message: string; readonly of?: string | undefined; readonly details?: Details };

/** A commit's entries in a tree's log: who did what and how it ended, without anything that was said. */
export function treeEntries(rootId: RootId, { at, seq, events }: Line<TreeEvent>): readonly LogEntry[] {
  return events.flatMap((event, nth) => {
    const note = treeNote(event);
    if (!note) return [];
    const { level = "info", message, of, details = {} } = note;
    const where = { tree: rootId, dialog: event.dialog, seq: seq + nth };
    const ids = { trace_id: traceIdOf(rootId), ...(of !== undefined && { span_id: spanIdOf(rootId, of) }) };
    return [{ time: at, level, message, ...ids, ...where, ...present(details) }];
  });
}

/** The same for the project's own log: tasks and standing approvals. */
export function projectEntries({ at, events }: Line<ProjectEvent>): readonly LogEntry[] {
  return events.flatMap((event) => {
    const note = projectNote(event);
    return note ? [{ time: at, level: note.level ?? "info", message: note.message, ...present(note.details ?? {}) }] : [];
  });
}

function treeNote(event: TreeEvent): Note | undefined {
  switch (event.type) {
    case "dialog.created":
      return { message: "dialog created", of: part.root, details: { agent: event.agent } };
    case "dialog.copied":
      return { message: "dialog copied", of: part.root, details: { as: event.as, from: event.from, at: event.at, by: event.by } };
    case "step.ended": {
      const { agent, turn, step, model, ms, usage, cost } = event;
      const tokens = { input_tokens: usage?.input, output_tokens: usage?.output };
      return { message: "step ended", of: part.step(event), details: { agent, turn, step, model, ms, ...tokens, cost } };
    }
    case "step.attempted":
      return {
        level: "warn",
        message: "step repeated after a crash",
        of: part.step(event),
        details: { agent: event.agent, turn: event.turn, step: event.step },
      };
    case "call.ended": {
      const { agent, call, ms, outcome = "ok" } = event;
      const level = outcome === "error" || outcome === "unknown" ? "warn" : "info";
      return { level, message: "call ended", of: part.call(call), details: { agent, call, ms, outcome } };
    }
    case "ask.opened":
      return {
        message: "ask opened",
        of: part.ask(event.ask),
        details: { agent: event.agent, recipient: event.recipient, kind: event.kind },
      };
    case "ask.answered":
      return {
        level: event.outcome === undefined ? "info" : "warn",
        message: "ask answered",
        of: part.ask(event.ask),
        details: { agent: event.agent, outcome: event.outcome ?? "answered" },
      };
    case "question.asked":
      return {
        message: "question asked",
        of: part.question(event.question),
        details: { agent: event.agent, question: event.question, kind: event.kind, limit: event.limit, tool: event.tool },
      };
    case "question.closed": {
      const { agent, question, as, by, verdict } = event;
      return { message: "question closed", of: part.question(question), details: { agent, question, as, by, verdict } };
    }
    case "dialog.stopped": {
      const { code } = event.reason;
      const level = code === "person" || code === "cascade" ? "info" : code === "limit" ? "warn" : "error";
      return { level, message: "dialog stopped", of: part.root, details: { reason: code, by: event.by } };
    }
    case "dialog.resumed":
    case "dialog.completed":
    case "dialog.reopened":
    case "dialog.archived":
    case "dialog.died":
      return { message: event.type.replace(".", " "), of: part.root, details: { by: event.by } };
    case "course.started":
      return { message: "course started", of: part.root };
    default:
      return undefined; // Steps, calls, asks and questions tell the story; the rest is in the dialog's own log.
  }
}

function projectNote(event: ProjectEvent): Note | undefined {
  switch (event.type) {
    case "grant.given":
    case "grant.revoked":
      return { message: event.type.replace(".", " "), details: { grant: event.grant, by: event.by } };
    case "task.created":
    case "task.taken":
    case "task.closed":
      return { message: event.type.replace(".", " "), details: { task: event.task } };
    case "task.released":
      return {
        level: event.failed ? "warn" : "info",
        message: "task released",
        details: { task: event.task, ...(event.failed && { failed: true }) },
      };
    default:
      return undefined; // Bookkeeping.
  }
}

const present = (details: Details): Details => Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
