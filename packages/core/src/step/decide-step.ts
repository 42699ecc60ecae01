import { AskId, type CallPart, type StopCode, type TreeEvent, type TreeEventOf, unreachable } from "@colloquy/schema";
import { answerAsk, askBack } from "../asks/ask.ts";
import { decideBuiltinCall } from "../builtin/decide-builtin-call.ts";
import { refuseCall } from "../builtin/end-call.ts";
import { tellOpen } from "../commands/decide-send.ts";
import { halt } from "../commands/halt.ts";
import { holdAtLimit } from "../gate/limit-reached.ts";
import { againAndAgain } from "../gate/repetition.ts";
import { createsSomething, planQuestions, raiseQuestions } from "../output/raise-questions.ts";
import type { Rules } from "../prompt/rules.ts";
import { askApproval, giveNotice } from "../questions/card.ts";
import type { Decision } from "../state/decision.ts";
import { Draft } from "../state/draft.ts";
import { callHash } from "../state/hash.ts";
import { askOf, type Tree, turnAt } from "../state/tree.ts";
import { MAX_FAILURES, type Report } from "../tasks/task-run.ts";
import { unmarked } from "../view/markers.ts";
import { conclude } from "./conclude.ts";
import { readStep, type StepReading } from "./read-step.ts";
import type { StepDecision, TurnDecision } from "./step-decision.ts";
import type { StepRef, StepResult } from "./step-result.ts";
import { judgeStep, type StepVerdict } from "./step-verdict.ts";

/** The commit that ends a step: what the agent said, what its calls lead to, whom it answers, and whether the dialog is stopped. */
export function decideStep(tree: Tree, ref: StepRef, result: StepResult, rules: Rules): Decision<TreeEvent> {
  const reading = readStep(tree, ref, result, rules);
  if (!reading.ok) return reading;
  const verdict = judgeStep(reading);
  const draft = new Draft(tree, rules.at);
  const decision: StepDecision = { draft, ref, rules, notification: reading.calls[0]?.call, newId: result.newId };
  draft.add(stepEnded(ref, reading, verdict));
  carryOutVerdict(decision, reading, verdict);
  stopLoops(decision, reading);
  holdAtLimit(decision);
  tellOpen(draft, ref, rules);
  conclude(draft, rules);
  return draft.decision();
}

function stepEnded(ref: StepRef, reading: StepReading, verdict: StepVerdict): TreeEvent {
  const { result, dialog, turn, whole, status } = reading;
  return {
    type: "step.ended",
    dialog: dialog.id,
    course: dialog.course,
    agent: ref.agent,
    turn: turn.id,
    step: ref.step,
    seen: result.seen,
    index: result.index,
    gen: result.gen,
    parts: [...result.parts],
    ...(result.away && { away: true }),
    ...(verdict.kind === "ends" && { ends: true }),
    ...(result.finish && { finish: result.finish }),
    ...(whole !== undefined && { whole }),
    ...("reached" in verdict && verdict.reached && { reached: true }),
    ...(result.model !== undefined && { model: result.model }),
    ...(result.usage && { usage: result.usage }),
    ...(result.cost !== undefined && { cost: result.cost }),
    ms: result.ms,
    ...(result.sessionId !== undefined && { sessionId: result.sessionId }),
    ...(result.docs && { docs: { ...result.docs } }),
    ...(result.stands !== undefined && { stands: result.stands }),
    ...(result.definition && { definition: result.definition }),
    ...(status !== undefined && { status }),
  };
}

/** The events that follow from the verdict on a step. */
function carryOutVerdict(decision: StepDecision, reading: StepReading, verdict: StepVerdict): void {
  const { draft, ref, rules, newId } = decision;
  const { texts } = rules;
  switch (verdict.kind) {
    case "acts":
      decideCalls(decision, reading);
      return raise(decision, reading, ref.turn);
    case "waits":
    case "readsOn":
    case "corrects":
    case "waitsForPeople":
      return raise(decision, reading, ref.turn);
    case "saysNothing":
      raise(decision, reading, ref.turn);
      return note(decision, "empty_end", texts.emptyEnd);
    case "asksBack":
      if (verdict.isTold) note(decision, "empty_end", texts.emptyEnd);
      askBack(decision, { id: AskId.parse(newId()), content: verdict.content });
      return;
    case "cutOff":
      // The note opens the gate for the step that continues the reply.
      note(decision, "cut_short", texts.cutShort);
      if (verdict.halts) haltTurn(decision, "output_cut", texts.cutShortAgain(rules.team.nameOf(ref.agent)));
      return;
    case "badOutput":
      note(decision, "bad_output", texts.badOutput(verdict.problem));
      if (verdict.halts) haltTurn(decision, "bad_output", texts.badOutputAgain(rules.team.nameOf(ref.agent), verdict.problem));
      return;
    case "lacksStatus":
      return note(decision, "no_status", texts.noStatus);
    case "ends":
      if (verdict.report) endRun(decision, verdict.report, reading.questions === "asked");
      // No turn waits for the answers. The dialog reads them when it is next driven.
      raise(decision, reading, undefined);
      answerOwed(decision, reading);
      draft.takeNext(ref.dialog);
      return;
    default:
      return unreachable(verdict);
  }
}

function note({ draft, ref }: TurnDecision, code: TreeEventOf<"note.added">["code"], text: string): void {
  draft.add({ type: "note.added", ...draft.here(ref.dialog), agent: ref.agent, turn: ref.turn, code, text });
}

function haltTurn({ draft, ref, rules, newId }: StepDecision, code: StopCode, message: string): void {
  halt(draft, { asker: ref, reason: { code, message }, question: newId() }, rules);
}

/**
 * Asks people the questions in the agent's words, or sends them back to the agent. `waiting`: the turn that waits for the answers, if any.
 */
function raise(decision: StepDecision, reading: StepReading, waiting: number | undefined): void {
  const { draft, ref, rules } = decision;
  const { calls, plan, source } = reading;
  if (reading.questions === "none") return;
  // One of the step's calls may have ended the turn.
  if (waiting !== undefined && !turnAt(draft.tree, ref)) return;
  // One of the step's calls may have asked the same question.
  const left = calls.length === 0 ? plan : planQuestions(draft.tree, reading, rules.sections());
  raiseQuestions(decision, left, source, waiting);
}

/** Ends the run of a task. After several failures in a row, a person is asked instead of starting another run. */
function endRun({ draft, ref, rules, newId }: StepDecision, report: Report, asks: boolean): void {
  const here = draft.here(ref.dialog);
  draft.add({ type: "task.reported", ...here, agent: ref.agent, turn: ref.turn, ...report, ...(asks && { asks }) });
  const { task } = draft.tree;
  if (!task || report.status === "success" || asks || task.failures < MAX_FAILURES) return;
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

/** Decides calls in the given order. Calls that close the course or the dialog come last. */
function decideCalls({ draft, ref, rules }: StepDecision, reading: StepReading): void {
  const { calls, result } = reading;
  const notification = calls[0]?.call ?? "";
  for (const part of calls) {
    // An earlier call has ended this turn, and the turn's other calls with it.
    if (!turnAt(draft.tree, ref)) return;
    const { call } = part;
    const refusal = contradicted(reading, part, rules) ?? result.refused.get(call);
    const approval = result.approvals.get(call);
    const notice = result.notices?.get(call);
    const at = { ...ref, call };
    if (notice && refusal === undefined) giveNotice(draft, at, notice);
    if (refusal !== undefined) refuseCall(draft, at, refusal);
    else if (approval) askApproval(draft, at, notification, approval);
    else if (part.kind === "house") decideBuiltinCall({ draft, ref: at, rules, notification }, part);
  }
}

/**
 * Why a call contradicts the words of its step. With questions in the text, a step may create nothing and may not clear the mind, which
 * would withdraw them. If its questions are sent back or its task has failed, it may close nothing.
 */
function contradicted({ output, questions, hasFailed }: StepReading, { tool }: CallPart, { texts }: Rules): string | undefined {
  const hasQuestions = output.questions.length > 0 || output.unreadable !== undefined;
  if (hasQuestions && createsSomething(tool)) return texts.questionsFirst(tool);
  if (tool === "clear_mind" && questions !== "none") return texts.questionsKept(tool);
  if (tool !== "mark_done") return undefined;
  if (hasQuestions && questions === "sentBack") return texts.questionsFirst(tool);
  return hasFailed ? texts.failedNotDone : undefined;
}

/** Looks for loops among calls whose results are decided with the step: refused and built-in calls. */
function stopLoops(decision: StepDecision, { calls }: StepReading): void {
  const results = decision.draft.events.filter((event) => event.type === "call.ended");
  for (const part of calls) {
    const ended = results.find((event) => event.call === part.call);
    if (ended) againAndAgain(decision, { tool: part.tool, hash: callHash(part), polls: part.polls ?? false }, ended.output);
  }
}

/** Delivers the text that ends a turn as its answer: to the asker, to the turn that asked back, or into a question's thread. */
function answerOwed({ draft, ref, rules }: TurnDecision, { turn: { cause }, text, result: { words } }: StepReading): void {
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
