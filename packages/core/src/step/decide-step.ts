import {
  type ActClass,
  AskId,
  type CallPart,
  isCall,
  type LimitName,
  type Part,
  rawTextOf,
  type StopReason,
  textOf,
  type TreeEvent,
  type Usage,
} from "@colloquy/schema";
import { answerAsk, askBack } from "../asks/ask.ts";
import { askApproval, type Card, giveNotice } from "../questions/card.ts";
import { accept, type Decision, refuse } from "../state/decision.ts";
import { tellOpen } from "../commands/decide-send.ts";
import { Draft } from "../state/draft.ts";
import { type FaultRef, halt } from "../commands/halt.ts";
import { callHash } from "../state/hash.ts";
import { conclude } from "./conclude.ts";
import { decideHouseCall } from "../builtin/decide-builtin-call.ts";
import type { Rules } from "../prompt/rules.ts";
import { refuseCall } from "../builtin/end-call.ts";
import { limitQuestion } from "../gate/limit.ts";
import { unmarked } from "../view/markers.ts";
import { sourceOf } from "../output/question-source.ts";
import { asksPeople, createsSomething, goesOn, planQuestions, type QuestionPlan, raiseQuestions } from "../output/raise-questions.ts";
import { readOutput, type StructuredOutput } from "../output/structured-output.ts";
import { FAILURES, type Report, reportOf, statusSaid } from "../tasks/task-run.ts";
import { againAndAgain } from "../gate/repetition.ts";
import { askOf, type Dialog, dialogOf, hasOpen, runOf, type Tree, type Turn, turnAt, turnOf, type TurnRef } from "../state/tree.ts";

/** Which step of which turn. A driver that was presumed dead names one that is over, and cannot speak. */
export interface StepRef extends TurnRef {
  readonly step: number;
}

/** What a runner brought back. */
export interface StepResult {
  readonly parts: readonly Part[];
  /** Calls that will not be run, with the reason that the model is told. */
  readonly refused: ReadonlyMap<string, string>;
  /** Calls that a person must approve, with what exactly will happen. */
  readonly approvals: ReadonlyMap<string, Card>;
  /** Calls that people are told of. */
  readonly notices?: ReadonlyMap<string, Card & { readonly class: ActClass }>;
  /** The last event that it was shown, and how many messages there were. */
  readonly seen: number;
  readonly index: number;
  /** What others had written meanwhile stood in a block before its trigger. */
  readonly away?: boolean | undefined;
  readonly gen: number;
  readonly ms: number;
  /** What the turn said before, which folded state does not hold. */
  readonly words: Words;
  /** An id for what the step raises without a call. */
  readonly newId: () => string;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  /** The provider cut it off at its output limit. */
  readonly finish?: "length" | undefined;
  readonly cost?: number | undefined;
  readonly sessionId?: string | undefined;
  /** Documents that it was shown and had not been shown before in this version. */
  readonly docs?: Readonly<Record<string, string>> | undefined;
  /** Why its words are not what the agent promises to end with. */
  readonly badOutput?: string | undefined;
  /** Where its head said that the agent stands, if that is new to the turn. */
  readonly stands?: string | undefined;
}

export interface Words {
  /** The texts with which the turn had come to its end before. */
  readonly ends: readonly string[];
  /** Its last text. */
  readonly last: string;
  /** What it said of a reply that was cut off at the output limit, as it came; "" where none was. */
  readonly cut: string;
  /** What people told the dialog during this turn. */
  readonly told: readonly string[];
}

/** The commit that ends a step: what was said, what its calls lead to, whom it answers, and whether it comes to a halt. */
export function decideStep(tree: Tree, ref: StepRef, result: StepResult, rules: Rules): Decision<TreeEvent> {
  const found = findStep(tree, ref);
  if (!found.ok) return found;
  const { dialog, turn } = found;
  // What it was shown has been cleared from everybody's mind meanwhile.
  if (result.seen < dialog.courseSeq) return refuse("stale_step", `Step ${ref.step} of turn ${ref.turn} belongs to the course before.`);
  const draft = new Draft(tree, rules.at);
  const here = { ...draft.here(dialog.id), agent: ref.agent, turn: turn.id };

  const calls = result.parts.filter(isCall);
  const isContinued = calls.length === 0 && result.words.cut !== "";
  // All that was said since the last step that was not cut short.
  const spoken = result.words.cut === "" ? textOf(result.parts) : (result.words.cut + rawTextOf(result.parts)).trim();
  const text = isContinued ? spoken : textOf(result.parts);
  const isEmpty = textOf(result.parts) === "";
  // Half a reply is no reply: the agent is asked to go on.
  const isCut = calls.length === 0 && result.finish === "length";
  const isRead = turn.newestSeq <= result.seen;
  const isOver = calls.length === 0 && !isCut && !hasOpen(turn);
  const asksBack = isOver && turn.cause.kind === "assignment" && !dialog.side?.fresh && unmarked(text).marker === "askBack";
  const isTold = isOver && isRead && isEmpty && !turn.toldEmpty;
  // Whatever else happens in a step, and whether or not it ends the turn: what its words ask is asked.
  const isAsking = spoken !== "" && !isCut && !asksBack && turn.cause.kind !== "thread" && !dialog.side?.fresh;
  const source = sourceOf(tree, dialog.id);
  const output = readOutput(isAsking ? spoken : "");
  const plan = planQuestions(tree, turn, source, output, rules.sections());
  const mayEnd = isOver && isRead && !isTold && !asksBack;
  const hears = goesOn(plan, turn);
  const isOwed = turn.cause.kind === "message" || turn.cause.kind === "assignment";
  const badOutput = mayEnd && !hears && !asksPeople(plan) && isOwed && !dialog.side?.fresh ? result.badOutput : undefined;
  // The run of a task ends with its questions, and lets the task go; any other turn waits for the answers.
  const task = tree.task?.turn === turn.id ? tree.task : undefined;
  const said = task && statusSaid(task, output);
  const run = mayEnd && !hears && badOutput === undefined ? task : undefined;
  const report = run && reportOf(run, turn, output, text || result.words.last, asksPeople(plan));
  const waits = hears || report === "tell" || (asksPeople(plan) && !run);
  const ends = mayEnd && !waits && badOutput === undefined;

  draft.add({
    type: "step.ended",
    ...here,
    step: ref.step,
    seen: result.seen,
    index: result.index,
    gen: result.gen,
    parts: [...result.parts],
    ...(result.away && { away: true }),
    ...(ends && { ends }),
    ...(result.finish && { finish: result.finish }),
    ...(isContinued && !isCut && { whole: text }),
    ...(isOver && !isRead && !hears && !asksPeople(plan) && { reached: true }),
    ...(result.model !== undefined && { model: result.model }),
    ...(result.usage && { usage: result.usage }),
    ...(result.cost !== undefined && { cost: result.cost }),
    ms: result.ms,
    ...(result.sessionId !== undefined && { sessionId: result.sessionId }),
    ...(result.docs && { docs: { ...result.docs } }),
    ...(result.stands !== undefined && { stands: result.stands }),
    ...(said !== undefined && { status: said }),
  });
  if (report === "tell") draft.add({ type: "note.added", ...here, code: "no_status", text: rules.texts.noStatus });
  else if (report) endRun(draft, ref, report, asksPeople(plan), result.newId, rules);
  const refusals = earlyCalls(calls, output, plan, hears, (task && (output.status ?? task.said)) === "failed", rules);
  decideCalls(draft, ref, calls, refusals.length > 0 ? { ...result, refused: new Map([...result.refused, ...refusals]) } : result, rules);
  if ((hears || asksPeople(plan)) && (ends || turnAt(draft.tree, ref))) {
    // A call of the same step may have asked the same.
    const left = calls.length === 0 ? plan : planQuestions(draft.tree, turn, source, output, rules.sections());
    raiseQuestions(draft, ref, left, source, ends ? undefined : ref.turn, calls[0]?.call, result.newId, rules);
  }
  if (isTold) draft.add({ type: "note.added", ...here, code: "empty_end", text: rules.texts.emptyEnd });
  if (isCut) askToGoOn(draft, ref, turn, result.newId, rules);
  if (badOutput !== undefined) sendBack(draft, ref, turn, badOutput, result.newId, rules);
  if (asksBack) askBack(draft, ref, unmarked(text).text, undefined, AskId.parse(result.newId()), rules);
  if (ends) {
    answerOwed(draft, ref, turn, text, result.words, rules);
    draft.takeNext(dialog.id);
  }
  againAndAgainIn(draft, ref, calls, result.newId, rules);
  limitReached(draft, ref, calls[0]?.call, result.newId, rules);
  tellOpen(draft, ref, rules);
  conclude(draft, rules);
  return draft.decision();
}

/** The run of a task is over. After a few failures in a row a person is asked instead of another try. */
function endRun(draft: Draft, ref: TurnRef, report: Report, asks: boolean, newId: () => string, rules: Rules): void {
  const here = draft.here(ref.dialog);
  draft.add({ type: "task.reported", ...here, agent: ref.agent, turn: ref.turn, ...report, ...(asks && { asks }) });
  const { task } = draft.tree;
  if (!task || report.status === "success" || asks || task.failures < FAILURES) return;
  draft.ask(
    { dialog: ref.dialog, agent: ref.agent },
    {
      id: newId(),
      kind: "fault",
      topic: "failures",
      headline: rules.texts.failedOften(draft.dialog(ref.dialog).title, task.failures),
      text: rules.texts.failedOftenText(report.summary),
      options: [
        { label: rules.texts.tryAgainChoice, code: "tryAgain" },
        { label: rules.texts.closeTaskChoice, code: "closeTask" },
      ],
    },
  );
}

/** What it ended with is not what it promises: it is told once, and tries again; then a person is asked. */
function sendBack(draft: Draft, ref: TurnRef, turn: Turn, problem: string, newId: () => string, rules: Rules): void {
  const here = { ...draft.here(ref.dialog), agent: ref.agent, turn: ref.turn };
  draft.add({ type: "note.added", ...here, code: "bad_output", text: rules.texts.badOutput(problem) });
  if (turn.notesGiven.includes("bad_output"))
    halt(draft, ref, { code: "bad_output", message: rules.texts.badOutputAgain(rules.team.nameOf(ref.agent), problem) }, newId(), rules);
}

/** So often in a turn; then a person is asked. */
const MAX_CUTS = 3;

/** The reply was cut off at the output limit: the agent goes on with it at its next step, which the note opens the gate for. */
function askToGoOn(draft: Draft, ref: TurnRef, turn: Turn, newId: () => string, rules: Rules): void {
  const here = { ...draft.here(ref.dialog), agent: ref.agent, turn: ref.turn };
  draft.add({ type: "note.added", ...here, code: "cut_short", text: rules.texts.cutShort });
  if (turn.notesGiven.filter((code) => code === "cut_short").length >= MAX_CUTS)
    halt(draft, ref, { code: "output_cut", message: rules.texts.cutShortAgain(rules.team.nameOf(ref.agent)) }, newId(), rules);
}

/**
 * Calls that do not go together with the words of their step. An output with questions creates nothing else, and clears no mind that
 * would take them back; one whose questions the agent is to hear of again (`hears`), or whose task has failed (`hasFailed`), closes nothing.
 */
function earlyCalls(
  calls: readonly CallPart[],
  output: StructuredOutput,
  plan: QuestionPlan,
  hears: boolean,
  hasFailed: boolean,
  { texts }: Rules,
): readonly (readonly [call: string, why: string])[] {
  const hasQuestions = output.questions.length > 0 || output.unreadable !== undefined;
  return calls.flatMap((call): (readonly [string, string])[] => {
    if (hasQuestions && createsSomething(call)) return [[call.call, texts.questionsFirst(call.tool)]];
    if (call.tool === "clear_mind" && (hears || asksPeople(plan))) return [[call.call, texts.questionsKept(call.tool)]];
    if (call.tool !== "mark_done") return [];
    if (hasQuestions && hears) return [[call.call, texts.questionsFirst(call.tool)]];
    return hasFailed ? [[call.call, texts.failedNotDone]] : [];
  });
}

/** In the order given; what closes the course or the dialog comes last. */
function decideCalls(draft: Draft, ref: TurnRef, calls: readonly CallPart[], result: StepResult, rules: Rules): void {
  const notification = calls[0]?.call ?? "";
  for (const call of calls) {
    // A call before it has ended this very turn, and with it the rest of its calls.
    if (!turnAt(draft.tree, ref)) return;
    const refusal = result.refused.get(call.call);
    const approval = result.approvals.get(call.call);
    const notice = result.notices?.get(call.call);
    const here = { ...ref, call: call.call };
    if (notice && refusal === undefined) giveNotice(draft, here, notice);
    if (refusal !== undefined) refuseCall(draft, ref, call.call, refusal);
    else if (approval) askApproval(draft, here, notification, approval);
    else if (call.kind === "house") decideHouseCall(draft, ref, call, notification, rules);
  }
}

/** Calls that have their result with the step: refused ones, and those of the house. */
function againAndAgainIn(draft: Draft, ref: TurnRef, calls: readonly CallPart[], newId: () => string, rules: Rules): void {
  const results = draft.events.filter((event) => event.type === "call.ended");
  for (const part of calls) {
    const ended = results.find((event) => event.call === part.call);
    if (ended) againAndAgain(draft, ref, { tool: part.tool, hash: callHash(part), polls: part.polls ?? false }, ended.output, newId, rules);
  }
}

/** The text that ends a turn is its answer: to the asker, to who asked back, or into a question's thread. */
function answerOwed(draft: Draft, ref: TurnRef, turn: Turn, text: string, words: Words, rules: Rules): void {
  const { cause } = turn;
  if (cause.kind === "message") return;
  if (cause.kind === "thread") {
    draft.add({ type: "question.replied", ...draft.here(ref.dialog), agent: ref.agent, question: cause.question, content: text });
    return;
  }
  const ask = askOf(draft.tree, cause.ask);
  if (!ask) return;
  const marked = unmarked(text);
  const said =
    [...words.ends.map((end) => unmarked(end).text), marked.text].filter((one) => one !== "").join("\n\n") || unmarked(words.last).text;
  if (said === "") return answerAsk(draft, ask, rules.texts.withoutAWord, { outcome: "failed" });
  const told = words.told.length > 0 ? `\n\n${rules.texts.toldMeanwhile(words.told)}` : "";
  if (cause.kind === "askBack") return answerAsk(draft, ask, said);
  const marker = draft.dialog(ref.dialog).side?.fresh ? (marked.marker === "freshReasoning" ? "freshReasoning" : "fresh") : "final";
  answerAsk(draft, ask, said + told, { marker });
}

/** What had been streamed when somebody stopped it. The time counts also where nothing was said yet. */
export function decideCut(tree: Tree, ref: StepRef, cut: { parts: readonly Part[]; gen: number; ms: number }): Decision<TreeEvent> {
  const dialog = dialogOf(tree, ref.dialog);
  if (!dialog || (cut.parts.length === 0 && cut.ms === 0)) return accept(tree.seq, []);
  return accept(tree.seq + 1, [{ type: "step.cut", course: dialog.course, ...ref, gen: cut.gen, parts: [...cut.parts], ms: cut.ms }]);
}

/**
 * A step that a crash interrupted, in its model call or in its calls, is driven again: twice among others, then once alone,
 * then a person is needed.
 */
export function decideAttempt(tree: Tree, at: TurnRef, newId: string, rules: Rules): Decision<TreeEvent> {
  const dialog = dialogOf(tree, at.dialog);
  const turn = turnAt(tree, at);
  if (!dialog || !turn) return refuse("stale_step", `Turn ${at.turn} is over.`);
  const ref = { dialog: at.dialog, agent: at.agent, turn: at.turn, step: turn.calls.length > 0 ? turn.steps : turn.steps + 1 };
  if (turn.alone) return decideHalt(tree, ref, { code: "crashed_repeatedly", message: rules.texts.crashedRepeatedly }, newId, rules);
  const alone = turn.attempts >= 2;
  return accept(tree.seq + 1, [{ type: "step.attempted", course: dialog.course, ...ref, ...(alone && { alone }) }]);
}

/** A fault that a person can mend, or a mistake of ours: the dialog stands still, and that is a question. */
export function decideHalt(tree: Tree, ref: FaultRef, reason: StopReason, newId: string, rules: Rules): Decision<TreeEvent> {
  const dialog = dialogOf(tree, ref.dialog);
  if (!dialog || dialog.status !== "running" || dialog.stopped) return accept(tree.seq, []);
  const draft = new Draft(tree, rules.at);
  halt(draft, ref, reason, newId, rules);
  conclude(draft, rules);
  return draft.decision();
}

type StepTarget = { readonly ok: true; readonly dialog: Dialog; readonly turn: Turn } | Extract<Decision<TreeEvent>, { ok: false }>;

function findStep(tree: Tree, ref: StepRef): StepTarget {
  const dialog = dialogOf(tree, ref.dialog);
  const turn = turnOf(runOf(tree, ref.dialog, ref.agent), ref.turn);
  if (!dialog || !turn || ref.step !== turn.steps + 1 || (turn.calls.length > 0 && turn.urgentSeq === 0)) {
    return refuse("stale_step", `Step ${ref.step} of turn ${ref.turn} is over.`);
  }
  if (dialog.status !== "running") return refuse("not_running", `The dialog is ${dialog.status}.`);
  if (dialog.stopped) return refuse("stopped", dialog.stopped.reason.message);
  return { ok: true, dialog, turn };
}

const COUNTED = ["tokensPerTree", "costPerTree", "wallTimePerTree", "stepsPerTurn"] as const satisfies readonly LimitName[];

/** Limits are gates over counters. At most one open question for each limit of a tree; steps are counted for each turn. */
function limitReached(draft: Draft, ref: TurnRef, notification: string | undefined, newId: () => string, rules: Rules): void {
  const { tree } = draft;
  const turn = turnOf(runOf(tree, ref.dialog, ref.agent), ref.turn);
  const used: Record<(typeof COUNTED)[number], number> = {
    tokensPerTree: tree.spent.tokens,
    costPerTree: tree.spent.cost,
    wallTimePerTree: tree.spent.ms,
    stepsPerTurn: turn?.unattended ?? -1,
  };
  const allowed = (name: (typeof COUNTED)[number]): number =>
    (rules.limits[name] ?? Infinity) + (name === "stepsPerTurn" ? 0 : (tree.raised[name] ?? 0));
  const limit = COUNTED.find((name) => used[name] >= allowed(name));
  if (!limit) return;
  const asked = [...tree.openQuestions.keys()].flatMap((id) => tree.questions.get(id) ?? []).find((one) => one.limit === limit);
  if (asked) {
    // Its own turn waits for it already; the tree's limits hold everybody.
    if (turn && limit === "stepsPerTurn" && !turn.questions.includes(asked.id))
      draft.add({
        type: "call.held",
        ...draft.here(ref.dialog),
        agent: ref.agent,
        turn: ref.turn,
        question: asked.id,
        needs: used[limit],
      });
    return;
  }
  draft.ask(
    { ...ref, turn: turn && ref.turn },
    {
      id: newId(),
      ...(notification !== undefined && { notification }),
      kind: "limit",
      limit,
      ...(limit === "stepsPerTurn" && { needs: used[limit] }),
      ...limitQuestion(draft.dialog(ref.dialog).title, limit, used[limit], allowed(limit), rules.texts),
    },
  );
}
