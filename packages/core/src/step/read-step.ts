import { type CallPart, isCall, rawTextOf, textOf, type TreeEvent } from "@colloquy/schema";
import type { Rules } from "../prompt/rules.ts";
import { type Source, sourceOf } from "../output/question-source.ts";
import { asksPeople, goesOn, planQuestions, type QuestionPlan } from "../output/raise-questions.ts";
import { readOutput, type StructuredOutput } from "../output/structured-output.ts";
import { type Decision, refuse } from "../state/decision.ts";
import { type Dialog, dialogOf, hasOpen, runOf, type Tree, type Turn, turnOf } from "../state/tree.ts";
import { reportOf, statusSaid } from "../tasks/task-run.ts";
import { unmarked } from "../view/markers.ts";
import type { StepRef, StepResult } from "./step-result.ts";
import type { StepFacts } from "./step-verdict.ts";

/** A step, read: the facts its verdict depends on, and what its events need. */
export interface StepReading extends StepFacts {
  readonly ok: true;
  readonly result: StepResult;
  readonly dialog: Dialog;
  readonly turn: Turn;
  readonly calls: readonly CallPart[];
  /** The step's text, including parts of the reply that were cut off before. */
  readonly text: string;
  /** The whole reply, if this step completes one that was cut off. */
  readonly whole: string | undefined;
  readonly source: Source;
  readonly output: StructuredOutput;
  readonly plan: QuestionPlan;
  /** The status that this step reports for a task's run. */
  readonly status: "success" | "failed" | undefined;
  /** The task's run has reported a failure, now or earlier. */
  readonly hasFailed: boolean;
}

type Refused = Extract<Decision<TreeEvent>, { ok: false }>;

/** Reads a step against the current tree. A step that the tree no longer waits for is refused. */
export function readStep(tree: Tree, ref: StepRef, result: StepResult, rules: Rules): StepReading | Refused {
  const found = findStep(tree, ref, result.seen);
  if (!found.ok) return found;
  const { dialog, turn } = found;
  const { words, finish } = result;
  const calls = result.parts.filter(isCall);
  const hasCalls = calls.length > 0;
  const isFresh = dialog.side?.fresh === true;
  // If the reply was cut off before, its parts are joined.
  const spoken = words.cut === "" ? textOf(result.parts) : (words.cut + rawTextOf(result.parts)).trim();
  const isContinued = !hasCalls && words.cut !== "";
  const text = isContinued ? spoken : textOf(result.parts);
  const isCutOff = !hasCalls && finish === "length";
  const hasOpenWork = hasOpen(turn);
  const marked = unmarked(text);
  const mayAskBack = !hasCalls && !isCutOff && !hasOpenWork && turn.cause.kind === "assignment" && !isFresh;
  const askBack = mayAskBack && marked.marker === "askBack" ? marked.text : undefined;
  // Questions in the text are asked whether or not the step ends the turn.
  const mayAsk = spoken !== "" && !isCutOff && askBack === undefined && turn.cause.kind !== "thread" && !isFresh;
  const source = sourceOf(tree, dialog.id);
  const output = readOutput(mayAsk ? spoken : "");
  const plan = planQuestions(tree, { turn, source, output }, rules.sections());
  const asks = asksPeople(plan);
  const isOwed = turn.cause.kind === "message" || turn.cause.kind === "assignment";
  const task = tree.task?.turn === turn.id ? tree.task : undefined;
  return {
    ok: true,
    result,
    dialog,
    turn,
    calls,
    text,
    whole: isContinued && !isCutOff ? text : undefined,
    source,
    output,
    plan,
    status: task && statusSaid(task, output),
    hasFailed: (task && (output.status ?? task.said)) === "failed",
    hasCalls,
    isCutOff,
    cutsBefore: turn.notesGiven.filter((code) => code === "cut_short").length,
    hasOpenWork,
    hasUnread: turn.newestSeq > result.seen,
    isEmpty: textOf(result.parts) === "",
    wasToldEmpty: turn.toldEmpty,
    askBack,
    questions: goesOn(plan, turn) ? "sentBack" : asks ? "asked" : "none",
    badOutput: isOwed && !isFresh ? result.badOutput : undefined,
    wasToldBadOutput: turn.notesGiven.includes("bad_output"),
    report: task && reportOf(task, { turn, output, text: text || words.last, asks }),
  };
}

type StepTarget = { readonly ok: true; readonly dialog: Dialog; readonly turn: Turn } | Refused;

function findStep(tree: Tree, ref: StepRef, seen: number): StepTarget {
  const dialog = dialogOf(tree, ref.dialog);
  const turn = turnOf(runOf(tree, ref.dialog, ref.agent), ref.turn);
  if (!dialog || !turn || ref.step !== turn.steps + 1 || (turn.calls.length > 0 && turn.urgentSeq === 0)) {
    return refuse("stale_step", `Step ${ref.step} of turn ${ref.turn} is over.`);
  }
  if (dialog.status !== "running") return refuse("not_running", `The dialog is ${dialog.status}.`);
  if (dialog.stopped) return refuse("stopped", dialog.stopped.reason.message);
  // The mind was cleared in the meantime, so nobody sees any more what this step was based on.
  if (seen < dialog.courseSeq) return refuse("stale_step", `Step ${ref.step} of turn ${ref.turn} belongs to the previous course.`);
  return { ok: true, dialog, turn };
}
