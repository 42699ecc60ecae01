import {
  builtinInputs,
  isBuiltinTool,
  mainDialogOf,
  type NostrEvent,
  type OfferedChoice,
  type QuestionCommand,
  type QuestionId,
  shortId,
  type TreeEvent,
  unreachable,
} from "@colloquy/schema";
import { z } from "zod";
import { cancelAsk } from "../asks/ask.ts";
import { type Decision, refuse } from "../state/decision.ts";
import { Draft } from "../state/draft.ts";
import { conclude } from "../step/conclude.ts";
import { readForm } from "../questions/form.ts";
import { approveGranted } from "./grant.ts";
import { giveUp } from "./give-up.ts";
import { refuseCall } from "../builtin/end-call.ts";
import type { Rules } from "../prompt/rules.ts";
import { resume } from "./resume.ts";
import { tooLarge } from "../view/tokens.ts";
import { type Dialog, type Question, type Tree, turnAt, turnsOf } from "../state/tree.ts";

type No = ReturnType<typeof refuse> | undefined;

/** The version a person was shown. An answer is accepted only if the question is still the same. */
export const shownVersion = (question: Question): string => `${shortId(question.id)}.${question.revision}`;

/**
 * One commit answers the question and wakes the waiting turn. Late and duplicate answers change nothing and are refused with the reason.
 */
export function decideQuestion(tree: Tree, command: QuestionCommand, rules: Rules): Decision<TreeEvent> {
  const question = tree.questions.get(command.question);
  if (!question) return refuse("question_not_found", `There is no question ${command.question}.`);
  if (question.status !== "open") return refuse("question_not_open", rules.texts.questionOver(question));
  if (question.shares !== undefined) return refuse("question_not_open", rules.texts.questionShared(question.shares));
  if ("shown" in command && command.shown !== undefined && command.shown !== shownVersion(question)) {
    return refuse("question_changed", rules.texts.questionChanged);
  }
  const draft = new Draft(tree, rules.at, command);
  const refusal = decideForQuestion(draft, question, command, rules);
  if (refusal) return refusal;
  conclude(draft, rules);
  return draft.decision();
}

function decideForQuestion(draft: Draft, question: Question, command: QuestionCommand, rules: Rules): No {
  const here = { ...draft.here(question.dialog), agent: question.agent, question: question.id };
  const signed = {
    ...here,
    by: command.by,
    ...(command.msgId !== undefined && { msgId: command.msgId }),
    ...("proof" in command && command.proof && { proof: command.proof }),
  };
  const decision: QuestionDecision = { draft, question, signed, rules };
  switch (command.type) {
    case "answer": {
      if (question.kind === "approval") return refuse("is_an_approval", "This is an approval: use approve or deny.");
      if (question.fields) return fillIn(decision, command);
      const choice = chosen(question, command.choice ?? []);
      if ("refusal" in choice) return choice;
      const content = command.content?.trim() ?? "";
      if (content === "" && choice.options.length === 0) return refuse("empty_content", "An answer needs some text or a choice.");
      const typed = question.options.find(({ label }) => label === content);
      if (choice.options.length === 0 && !question.allowOther && !typed) return mustChoose(question);
      const options = choice.options.length > 0 ? choice.options : typed && !question.allowOther ? [typed] : [];
      return answer(decision, content, options, options[0] ?? typed);
    }
    case "dismiss":
      if (question.kind === "approval") return deny(decision, command.why);
      if (question.kind === "limit" || question.kind === "fault") return mustChoose(question);
      draft.add({ type: "question.closed", ...signed, as: "dismissed", content: command.why ?? "" });
      return undefined;
    case "ask_back":
      if (command.content.trim() === "") return refuse("empty_content", "A question back needs some text.");
      if (question.kind === "limit" || question.kind === "fault")
        return refuse("bad_request", "The system asked this, not an agent: choose one of the answers.");
      if (draft.dialog(question.dialog).program !== undefined)
        return refuse(
          "bad_request",
          "A program asked this, and cannot be asked back. Answer it, with your question in the answer, or dismiss it.",
        );
      draft.add({ type: "question.discussed", ...signed, content: command.content });
      return undefined;
    case "approve":
      if (question.kind !== "approval") return refuse("not_an_approval", "This is a question: answer it.");
      return approve(decision, command);
    case "deny":
      if (question.kind !== "approval") return refuse("not_an_approval", "This is a question: answer or dismiss it.");
      return deny(decision, command.why);
    default:
      return unreachable(command);
  }
}

/** A person's decision about an open question. */
interface QuestionDecision {
  readonly draft: Draft;
  readonly question: Question;
  /** The common start of the event: which question, and who decides it. */
  readonly signed: SignedQuestion;
  readonly rules: Rules;
}

interface SignedQuestion {
  readonly dialog: Question["dialog"];
  readonly course: number;
  readonly agent: Question["agent"];
  readonly question: QuestionId;
  readonly by: string;
  readonly msgId?: string;
  readonly proof?: NostrEvent;
}

/** `first`: the deciding choice, even if its label was typed. Its code determines the effect, whatever language the label is in. */
function answer(decision: QuestionDecision, content: string, options: readonly OfferedChoice[], first: OfferedChoice | undefined): No {
  const { draft, question, signed } = decision;
  const choice = options.length > 0 ? { choice: options.map(({ label }) => label) } : {};
  if (question.kind === "limit") return answerLimit(decision, first);
  if (question.topic === "failures") {
    const isClosed = first?.code === "closeTask";
    draft.add({ type: "question.closed", ...signed, as: "answered", content, ...choice, ...(isClosed && { verdict: "denied" }) });
    return undefined;
  }
  if (question.kind === "fault") return answerFault(decision, first);
  draft.add({ type: "question.closed", ...signed, as: "answered", content, ...choice });
  return undefined;
}

/** Checks a form's answer here, so that the tool never gets invalid values. */
function fillIn(
  { draft, question, signed, rules }: QuestionDecision,
  command: { content?: string | undefined; choice?: (string | number)[] | undefined },
): No {
  const { fields = [] } = question;
  const choice = chosen(question, command.choice ?? []);
  if ("refusal" in choice) return choice;
  const content = command.content?.trim() ?? "";
  if (content === "" && choice.options.length === 0) return refuse("empty_content", "An answer needs some text or a choice.");
  const typed = fields.length === 0 ? question.options.find(({ label }) => label === content) : undefined;
  const options = choice.options.length === 0 && typed ? [typed] : choice.options;
  const code = options[0]?.code;
  if (fields.length === 0 && code === "decline") {
    draft.add({ type: "question.closed", ...signed, as: "dismissed", content });
    return undefined;
  }
  if (fields.length === 0 && code !== "accept") return mustChoose(question);
  const words = options.map((option) => (option.code === "yes" ? "true" : option.code === "no" ? "false" : option.label));
  const read = readForm(fields, content, words, rules.texts);
  if (!read.ok) return refuse("bad_answer", read.problems.join("\n"));
  const labels = options.map(({ label }) => label);
  const values = { ...read.values };
  draft.add({ type: "question.closed", ...signed, as: "answered", content, ...(labels.length > 0 && { choice: [...labels] }), values });
  return undefined;
}

/** Allows that much more, or stops: held calls are refused, or the dialog is stopped. */
function answerLimit({ draft, question, signed, rules }: QuestionDecision, chosen: OfferedChoice | undefined): No {
  if (chosen?.code !== "more" && chosen?.code !== "stop" && chosen?.code !== "noMoreToday") return mustChoose(question);
  const { label, more } = chosen;
  const held = [
    ...(question.call !== undefined && question.turn !== undefined
      ? [{ dialog: question.dialog, agent: question.agent, turn: question.turn, call: question.call }]
      : []),
    // Turns given up in the meantime no longer wait.
    ...question.alsoHolds.filter((at) => turnAt(draft.tree, at)),
  ];
  draft.add({ type: "question.closed", ...signed, as: "answered", content: label, choice: [label], ...(more !== undefined && { more }) });
  // A daily limit lifts itself at the end of the day, so nothing has to be stopped.
  if (more !== undefined || question.limit === "costPerDay") return undefined;
  const calls = held.flatMap(({ call, ...at }) => (call === undefined ? [] : [{ ...at, call }]));
  for (const at of calls) refuseCall(draft, at, rules.texts.limitRefused(question.limit ?? ""));
  if (calls.length > 0) return undefined;
  const reason = { code: "limit" as const, message: question.headline };
  // A tree limit stops everything that is working in the tree, a step limit only the turn that reached it. Resuming one dialog resumes the
  // others.
  const isMeant = ({ id }: Dialog) => question.limit !== "stepsPerTurn" || id === question.dialog || held.some((at) => at.dialog === id);
  const first = firstToStop(draft, question);
  if (!first.stopped) draft.add({ type: "dialog.stopped", ...draft.here(first.id), by: signed.by, reason });
  const stopped = draft.dialog(first.id).stopped;
  const cause = stopped?.cause ?? stopped?.seq ?? 0;
  for (const dialog of draft.tree.dialogs.values()) {
    if (!isMeant(dialog) || dialog.status !== "running" || dialog.stopped || turnsOf(draft.tree, dialog).length === 0) continue;
    draft.add({ type: "dialog.stopped", ...draft.here(dialog.id), by: signed.by, reason, cause });
  }
  return undefined;
}

/** The dialog that reached the limit; the main dialog if that one is over and cannot be resumed. */
function firstToStop(draft: Draft, question: Question): Dialog {
  const dialog = draft.dialog(question.dialog);
  return dialog.status === "running" ? dialog : draft.dialog(mainDialogOf(draft.tree.rootId));
}

/** Resumes, or gives up and answers the waiting agent. */
function answerFault({ draft, question, signed, rules }: QuestionDecision, chosen: OfferedChoice | undefined): No {
  const dialog = draft.dialog(question.dialog);
  if (chosen?.code === "resume") {
    const { by, msgId } = signed;
    if (dialog.stopped) resume(draft, dialog, { by, ...(msgId !== undefined && { msgId }) }, rules);
    return undefined;
  }
  if (chosen?.code === "stop" || chosen?.code === "fork") {
    // It stays stopped. The copy is made before this is decided.
    draft.add({ type: "question.closed", ...signed, as: "answered", content: chosen.label, choice: [chosen.label] });
    return undefined;
  }
  if (chosen?.code !== "giveUp") return mustChoose(question);
  const { label } = chosen;
  const reason = dialog.stopped ? rules.texts.stopCause(dialog.stopped.reason) : question.headline;
  draft.add({ type: "question.closed", ...signed, as: "answered", content: label, choice: [label] });
  giveUp(draft, question, rules.texts.gaveUp(signed.by, reason));
  if (draft.dialog(dialog.id).stopped) draft.add({ type: "dialog.resumed", ...draft.here(dialog.id), by: signed.by });
  draft.takeNext(dialog.id);
  return undefined;
}

function approve(
  { draft, question, signed, rules }: QuestionDecision,
  { scope = "once", pattern, until, arguments: changed }: Extract<QuestionCommand, { type: "approve" }>,
): No {
  const unfit = changed === undefined ? undefined : unfitForBuiltin(draft.tree, question, changed, rules);
  if (unfit !== undefined) return refuse("bad_request", unfit);
  if (scope !== "once" && pattern === undefined) return refuse("bad_request", "To approve similar calls, give a pattern.");
  if (until !== undefined && until <= rules.at)
    return refuse("bad_request", "until: this time has already passed. Give a time in the future, or leave it out.");
  draft.add({
    type: "question.closed",
    ...signed,
    as: "answered",
    verdict: "approved",
    ...(changed !== undefined && { arguments: changed }),
    ...(scope !== "once" && pattern !== undefined && { grant: { pattern, scope, ...(until !== undefined && { until }) } }),
  });
  if (scope === "once" || pattern === undefined) return undefined;
  const place = { rootId: scope === "project" ? undefined : draft.tree.rootId, dialog: scope === "dialog" ? question.dialog : undefined };
  const grant = { id: question.id, pattern, until, by: signed.by, at: rules.at, ...place };
  approveGranted(draft, [grant], rules.heldParts ?? new Map(), rules);
  return undefined;
}

/** Why a built-in call cannot be made with this input. Other tools check their input before this decision. */
function unfitForBuiltin(tree: Tree, question: Question, input: unknown, rules: Rules): string | undefined {
  const tool = approvedTool(tree, question);
  if (tool === undefined || !isBuiltinTool(tool)) return undefined;
  const parsed = builtinInputs[tool].safeParse(input);
  if (!parsed.success) return rules.texts.unfitInput(tool, z.prettifyError(parsed.error));
  return "content" in parsed.data ? tooLarge(parsed.data.content, question.agent, rules, true) : undefined;
}

/** The tool whose call an open approval is about. */
export function approvedTool(tree: Tree, { kind, status, dialog, agent, turn, call }: Question): string | undefined {
  if (kind !== "approval" || status !== "open" || turn === undefined) return undefined;
  return turnAt(tree, { dialog, agent, turn })?.calls.find(({ id }) => id === call)?.tool;
}

/** Runs neither this call nor later calls with effects in its step. Their results say so. */
function deny({ draft, question, signed, rules }: QuestionDecision, why: string | undefined): No {
  draft.add({ type: "question.closed", ...signed, as: "answered", verdict: "denied", ...(why !== undefined && { content: why }) });
  if (question.call === undefined || question.turn === undefined) return undefined;
  const ref = { dialog: question.dialog, agent: question.agent, turn: question.turn };
  const calls = turnAt(draft.tree, ref)?.calls ?? [];
  const at = calls.findIndex((call) => call.id === question.call);
  calls.slice(Math.max(at, 0)).forEach((call, nth) => {
    if (nth > 0 && call.kind !== "effects") return;
    const held = call.held === undefined ? undefined : draft.tree.questions.get(call.held);
    if (held?.status === "open") {
      draft.add({
        type: "question.closed",
        ...draft.here(held.dialog),
        agent: held.agent,
        question: held.id,
        as: "withdrawn",
        content: rules.texts.behindDenied,
      });
    }
    const told = call.ran ? rules.texts.discarded(signed.by, why, call.ran) : rules.texts.denied(signed.by, why);
    refuseCall(draft, { ...ref, call: call.id }, nth === 0 ? told : rules.texts.behindDenied);
  });
  return undefined;
}

/** Ends everything whose deadline has passed. Nobody is recorded as having answered. */
export function decideExpiry(tree: Tree, rules: Rules): Decision<TreeEvent> {
  const draft = new Draft(tree, rules.at);
  for (const [id, deadline] of tree.deadlines.entries()) {
    // An earlier expiry in this loop may have ended this one as well.
    if (deadline > rules.at || !draft.tree.deadlines.has(id)) continue;
    const question = draft.tree.questions.get(id);
    const ask = draft.tree.asks.get(id);
    if (question)
      draft.add({ type: "question.closed", ...draft.here(question.dialog), agent: question.agent, question: question.id, as: "expired" });
    else if (ask) cancelAsk(draft, ask, rules.texts.expired, "expired");
  }
  conclude(draft, rules);
  return draft.decision(draft.events.length);
}

/** The tree's nearest deadline. */
export function nextDeadline(tree: Tree): number | undefined {
  return tree.deadlines.size === 0 ? undefined : Math.min(...tree.deadlines.values());
}

function chosen(
  question: Question,
  choice: readonly (string | number)[],
): { readonly options: readonly OfferedChoice[] } | ReturnType<typeof refuse> {
  const options = new Map<string, OfferedChoice>();
  for (const one of choice) {
    const option = typeof one === "number" ? question.options[one] : question.options.find(({ label }) => label === one);
    if (!option) return mustChoose(question);
    options.set(option.label, option);
  }
  if (options.size > 1 && !question.multiple) return refuse("bad_choice", "Only one of the choices is allowed here.");
  return { options: [...options.values()] };
}

const mustChoose = (question: Question) =>
  refuse(
    "bad_choice",
    `Choose one of: ${question.options.map(({ label }, nth) => `${nth + 1} ${label}`).join(", ") || "nothing (there are no choices)"}.`,
  );
