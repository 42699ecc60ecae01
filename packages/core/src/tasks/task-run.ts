import type { ProjectEvent, TaskKind, TreeEvent } from "@colloquy/schema";
import type { StructuredOutput } from "../output/structured-output.ts";
import type { TreeCommit } from "../state/tree-commit.ts";
import { mainDialog, type TreeTask, type Turn } from "../state/tree.ts";
import type { Tasks } from "./task.ts";

/** After this many failures in a row, a person is asked instead of starting another run. */
export const MAX_FAILURES = 3;

export interface Report {
  readonly status: "success" | "failed";
  readonly summary: string;
}

/** The end of a task's run. */
interface RunEnding {
  readonly turn: Turn;
  readonly output: StructuredOutput;
  /** Its last words. */
  readonly text: string;
  /** The run ends with questions to people. */
  readonly asks: boolean;
}

/**
 * The result of a task's run, according to its last text. `tell`: the text has no status, so the agent is reminded once. An earlier
 * `failed` counts until the agent says otherwise.
 */
export function reportOf({ kind, said }: TreeTask, { turn, output, text, asks }: RunEnding): Report | "tell" {
  const summary = output.summary ?? output.around ?? text;
  if (output.status !== undefined) return { status: output.status, summary };
  if (asks) return { status: "failed", summary };
  if ((saysStatus(kind) || said === "failed") && !turn.notesGiven.includes("no_status") && !turn.toldEmpty) return "tell";
  return { status: said === "failed" ? "failed" : "success", summary };
}

/** The status that a step reports. Work that need not report one, and only lacks answers, continues with them. */
export const statusSaid = ({ kind }: TreeTask, { status, questions }: StructuredOutput): "success" | "failed" | undefined =>
  status === "failed" && questions.length > 0 && !saysStatus(kind) ? undefined : status;

/** Only tasks must report a status. Feedback, sections and plans are done when their agent is done. */
const saysStatus = (kind: TaskKind): boolean => kind === "task";

/**
 * What a tree's commit means for its task: released, or closed. It follows from the recorded events, so whatever ends a task's run (its
 * agent, a person, a cancelled turn) also decides the task, in the same commit.
 */
export function taskEvents(tasks: Tasks, { before, after, events }: TreeCommit): readonly ProjectEvent[] {
  const run = after.task;
  const task = run && tasks.all.get(run.id);
  if (!run || !task || task.closed) return [];
  const main = mainDialog(after);
  const ending = events.find(
    (event) => (event.type === "dialog.completed" || event.type === "dialog.archived") && event.dialog === main?.id,
  );
  const hasEnded = before.task?.turn !== undefined && run.turn === undefined;
  const report = run.report;
  const closed = (summary: string, by?: string): readonly ProjectEvent[] => [
    { type: "task.closed", task: task.id, summary, ...(by !== undefined && { by }) },
  ];
  const decided = events.find((event) => event.type === "question.closed" && before.questions.get(event.question)?.topic === "failures");
  if (decided?.type === "question.closed") {
    if (decided.verdict === "denied") return closed(decided.content ?? "", decided.by);
    return [{ type: "task.retried", task: task.id, by: decided.by ?? "" }];
  }
  if (ending && "by" in ending && ending.by !== undefined) return closed("", ending.by);
  if (report?.status === "success" && run.turn === undefined) {
    return after.openQuestions.size === 0 && (hasEnded || before.openQuestions.size > 0) ? closed(report.summary) : [];
  }
  if (!hasEnded) return [];
  if (ending) return closed(lastWords(events));
  if (task.assignee === undefined) return [];
  const failed = !report || !report.asks;
  return [{ type: "task.released", task: task.id, why: report?.summary ?? "", ...(failed && { failed }) }];
}

function lastWords(events: readonly TreeEvent[]): string {
  const last = events.findLast((event) => event.type === "step.ended");
  return last?.type === "step.ended" ? last.parts.flatMap((part) => ("saying" in part ? [part.saying] : [])).join("\n\n") : "";
}
