import {
  type AgentId,
  askIdOf,
  type CallPart,
  derivedId,
  type DialogId,
  type HouseInput,
  houseInputs,
  type HouseTool,
  isHouseTool,
  isLastTool,
  QuestionId,
  type TaskId,
  type TreeEvent,
  type Usage,
  unreachable,
} from "@colloquy/schema";
import { z } from "zod";
import { askBack, askNew, askSession, assignmentAskedBack, cancelAsk, type Refusing, withdrawQuestion } from "./ask.ts";
import { deadlineMs } from "./deadline.ts";
import { accept, type Decision } from "./decision.ts";
import { Draft } from "./draft.ts";
import type { HouseRules } from "./house-rules.ts";
import { sourceOf } from "./output/raise-questions.ts";
import { limitQuestion } from "./limit.ts";
import { phaseRefused, wordsOf } from "./phase.ts";
import { decideNewTask, decidePlan, decideTaskChange, findTask } from "./task/decide-task.ts";
import { applyToTasks, isAskedAbout, isTaskEvent, type Tasks } from "./task/task.ts";
import { headlineOf } from "./title.ts";
import { tooLarge } from "./tokens.ts";
import { askOf, type Dialog, runOf, type Tree, turnAt, type TurnRef } from "./tree.ts";

/** The call waits for a person; it will be decided again. */
const HELD = Symbol("held");
type Outcome = Refusing | typeof HELD;

/** What one call of the house leads to: events, with its result among them unless it waits for one. */
export function decideHouseCall(draft: Draft, ref: TurnRef, call: CallPart, notification: string, rules: HouseRules): void {
  const parsed = parse(call, rules);
  if (!parsed.ok) return refuseCall(draft, ref, call.call, parsed.problem);
  const dialog = draft.dialog(ref.dialog);
  const refusing = notAllowed(draft, ref, dialog, parsed.tool, rules) ?? act(draft, ref, dialog, call, parsed, notification, rules);
  if (typeof refusing === "string") refuseCall(draft, ref, call.call, refusing);
}

type Parsed = { [Tool in HouseTool]: { readonly ok: true; readonly tool: Tool; readonly input: HouseInput<Tool> } }[HouseTool];

function parse(call: CallPart, rules: HouseRules): Parsed | { readonly ok: false; readonly problem: string } {
  const { tool } = call;
  if (!isHouseTool(tool)) return { ok: false, problem: rules.texts.unknownTool(tool, Object.keys(houseInputs)) };
  const parsed = houseInputs[tool].safeParse(call.input);
  if (!parsed.success) return { ok: false, problem: rules.texts.badInput(tool, z.prettifyError(parsed.error)) };
  return { ok: true, tool, input: parsed.data } as Parsed;
}

const OWN: readonly string[] = ["tellaskBack", "clear_mind", "set_phase", "mark_done"];
const IN_THREAD: readonly string[] = ["revise_question", "withdraw_question"];

function notAllowed(draft: Draft, ref: TurnRef, dialog: Dialog, tool: HouseTool, rules: HouseRules): Refusing {
  const isThread = turnAt(draft.tree, ref)?.cause.kind === "thread";
  if (dialog.side?.fresh) return rules.texts.noToolsHere;
  if (isThread !== IN_THREAD.includes(tool)) return isThread ? rules.texts.onlyTheThread : rules.texts.onlyInThread(tool);
  if (OWN.includes(tool) && ref.agent !== dialog.agent) return rules.texts.onlyItsOwnAgent(tool, rules.team.nameOf(dialog.agent));
  if (tool === "mark_done" && dialog.side) return rules.texts.onlyMainDialogs(tool);
  return undefined;
}

function act(
  draft: Draft,
  ref: TurnRef,
  dialog: Dialog,
  { call }: CallPart,
  parsed: Parsed,
  notification: string,
  rules: HouseRules,
): Outcome {
  const { texts } = rules;
  const here = draft.here(ref.dialog);
  switch (parsed.tool) {
    case "tellaskBack":
      return askBack(draft, ref, parsed.input.tellaskContent, call, askIdOf(call), rules);
    case "tellask": {
      const { targetAgentId: to, sessionSlug, tellaskContent: content } = parsed.input;
      return (
        unknown(to, rules) ??
        tooLarge(content, to, rules) ??
        heldByLimit(draft, ref, call, 1, notification, rules) ??
        askSession(draft, ref, { kind: "tellask", call, to, content }, sessionSlug, rules)
      );
    }
    case "tellaskSessionless": {
      const { targetAgentId: to, tellaskContent: content } = parsed.input;
      if (to === askerOf(draft, ref)) return askBack(draft, ref, content, call, askIdOf(call), rules);
      if (to === ref.agent) return texts.askYourself;
      const refusing = unknown(to, rules) ?? tooLarge(content, to, rules) ?? heldByLimit(draft, ref, call, 1, notification, rules);
      if (refusing === undefined) askNew(draft, ref, { kind: "tellaskSessionless", call, to, content });
      return refusing;
    }
    case "freshBootsReasoning": {
      const effort = rules.team.fbrEffort(ref.agent);
      if (effort === 0) return texts.freshBootsDisabled;
      const tooMuch = tooLarge(parsed.input.tellaskContent, ref.agent, rules);
      if (tooMuch !== undefined) return tooMuch;
      const held = heldByLimit(draft, ref, call, effort, notification, rules);
      if (held !== undefined) return held;
      for (let nth = 1; nth <= effort; nth++) {
        askNew(draft, ref, {
          kind: "freshBootsReasoning",
          call,
          ...(effort > 1 && { nth }),
          to: ref.agent,
          content: parsed.input.tellaskContent,
          side: { fresh: true },
        });
      }
      return undefined;
    }
    case "delegate":
      return delegate(draft, ref, call, parsed.input, notification, rules);
    case "askHuman":
    case "ask":
      return askHuman(draft, ref, call, parsed.input, notification, rules);
    case "cancel_asks":
      return cancelAsks(draft, ref, call, parsed.input.callIds, rules);
    case "add_reminder": {
      const tooMuch = tooLarge(parsed.input.content, ref.agent, rules, true);
      if (tooMuch !== undefined) return tooMuch;
      const reminder = nextReminder(dialog);
      draft.add({ type: "reminder.added", ...here, reminder, content: parsed.input.content });
      return endCall(draft, ref, call, texts.reminderAdded(reminder));
    }
    case "update_reminder":
    case "delete_reminder": {
      const { reminder_id: reminder } = parsed.input;
      if (!dialog.reminders.some((one) => one.id === reminder))
        return texts.noReminder(
          reminder,
          dialog.reminders.map((one) => one.id),
        );
      const tooMuch = parsed.tool === "delete_reminder" ? undefined : tooLarge(parsed.input.content, ref.agent, rules, true);
      if (tooMuch !== undefined) return tooMuch;
      if (parsed.tool === "delete_reminder") draft.add({ type: "reminder.deleted", ...here, reminder });
      else draft.add({ type: "reminder.updated", ...here, reminder, content: parsed.input.content });
      return endCall(draft, ref, call, texts.reminderChanged(reminder));
    }
    case "create_task":
    case "update_task":
    case "create_plan":
      return taskCall(draft, ref, call, parsed, rules);
    case "record_decision": {
      const { title, decision, alternatives } = parsed.input;
      draft.add({
        type: "decision.recorded",
        ...here,
        agent: ref.agent,
        turn: ref.turn,
        title,
        decision,
        ...(alternatives && { alternatives: [...alternatives] }),
      });
      return endCall(draft, ref, call, texts.done);
    }
    case "clear_mind": {
      const tooMuch = tooLarge(parsed.input.reminder_content ?? "", ref.agent, rules, true);
      if (tooMuch !== undefined) return tooMuch;
      if (parsed.input.reminder_content?.trim()) {
        draft.add({ type: "reminder.added", ...here, reminder: nextReminder(dialog), content: parsed.input.reminder_content });
      }
      return undefined; // carried out by `carryOutLast`
    }
    case "set_phase": {
      const { phase, why, summary } = parsed.input;
      const refused = phaseRefused(dialog.phase, phase, summary, rules);
      if (refused !== undefined) return refused;
      draft.add({ type: "phase.set", ...here, agent: ref.agent, phase, ...wordsOf(why, summary) });
      return endCall(draft, ref, call, texts.phaseDone(phase));
    }
    case "mark_done":
      return undefined;
    case "change_mind":
    case "update_prd":
    case "remember":
    case "forget":
    case "recall":
    case "read_result":
      return texts.unknownTool(parsed.tool, []); // documents are written by the shell, in the order of the calls
    case "revise_question":
    case "withdraw_question":
      return inThread(draft, ref, call, parsed, rules);
    default:
      return unreachable(parsed);
  }
}

const nextReminder = (dialog: Dialog): number => Math.max(0, ...dialog.reminders.map((one) => one.id)) + 1;

const unknown = (agent: AgentId, { team, texts }: HouseRules): Refusing =>
  team.ids().includes(agent) ? undefined : texts.unknownAgent(agent, team.ids());

function askerOf(draft: Draft, ref: TurnRef): AgentId | undefined {
  return assignmentAskedBack(draft, ref)?.from.agent;
}

function delegate(
  draft: Draft,
  ref: TurnRef,
  call: CallPart["call"],
  input: HouseInput<"delegate">,
  notification: string,
  rules: HouseRules,
): Outcome {
  const { delegations, wait = "each", deadline } = input;
  for (const { recipient, phase, prompt } of delegations) {
    const refusing =
      unknown(recipient, rules) ??
      tooLarge(prompt, recipient, rules) ??
      (recipient === ref.agent && phase === undefined ? rules.texts.delegateToYourself : undefined);
    if (refusing !== undefined) return refusing;
  }
  const held = heldByLimit(draft, ref, call, delegations.length, notification, rules);
  if (held !== undefined) return held;
  const until = deadline === undefined ? undefined : deadlineMs(deadline, rules.at);
  delegations.forEach(({ recipient, prompt, phase, branch }, at) =>
    askNew(draft, ref, {
      kind: "delegate",
      call,
      nth: at + 1,
      to: recipient,
      content: prompt,
      side: { ...(phase !== undefined && { phase }), ...(branch !== undefined && { branch }) },
      wait,
      deadline: until,
    }),
  );
  return endCall(
    draft,
    ref,
    call,
    rules.texts.delegated(
      delegations.map(({ recipient }) => rules.team.nameOf(recipient)),
      wait,
    ),
  );
}

function askHuman(
  draft: Draft,
  ref: TurnRef,
  call: CallPart["call"],
  input: HouseInput<"askHuman">,
  notification: string,
  rules: HouseRules,
): Refusing {
  const { tellaskContent, options = [], otherwise } = input;
  if (otherwise !== undefined && !options.some((option) => option.label === otherwise)) {
    return rules.texts.badOtherwise(
      otherwise,
      options.map((option) => option.label),
    );
  }
  const headline = input.headline?.trim() || headlineOf(tellaskContent);
  const [first, ...rest] = tellaskContent.trim().split("\n");
  const text =
    input.headline === undefined && headlineOf(first ?? "") === (first ?? "").trim() ? rest.join("\n").trim() : tellaskContent.trim();
  const deadline = input.deadline === undefined ? undefined : deadlineMs(input.deadline, rules.at);
  draft.add({
    type: "question.asked",
    ...draft.here(ref.dialog),
    agent: ref.agent,
    turn: ref.turn,
    question: QuestionId.parse(call),
    notification,
    kind: "question",
    call,
    headline,
    text,
    ...(options.length > 0 && { options }),
    ...(input.multiple !== undefined && { multiple: input.multiple }),
    ...(input.allowOther !== undefined && { allowOther: input.allowOther }),
    ...(deadline !== undefined && { deadline }),
    ...(otherwise !== undefined && { otherwise }),
    ...sourceOf(draft.tree, ref.dialog),
  });
  return undefined;
}

/** Tasks are the project's: they are created in the commit of the step that wants them. */
function taskCall(
  draft: Draft,
  ref: TurnRef,
  call: CallPart["call"],
  parsed: Extract<Parsed, { tool: "create_task" | "update_task" | "create_plan" }>,
  rules: HouseRules,
): Refusing {
  const { task } = draft.tree;
  if (parsed.tool !== "update_task" && isAskedAbout(draft.tree)) return rules.texts.askedFirst(parsed.tool);
  const tasks = draft.project.reduce((all, event) => (isTaskEvent(event) ? applyToTasks(all, event, draft.at) : all), rules.tasks());
  const refusing = parsed.tool === "update_task" ? begun(tasks, parsed.input, task?.id, rules) : undefined;
  if (refusing !== undefined) return refusing;
  const wish = { by: ref.agent, from: task?.id };
  // An agent's call is known by its step: it comes once.
  const known = { tasks, receipts: { get: () => undefined, has: () => false } };
  const decision =
    parsed.tool === "create_task"
      ? decideNewTask(known, parsed.input, { ...wish, id: derivedId(call, 1) })
      : parsed.tool === "create_plan"
        ? decidePlan(tasks, parsed.input.tasks, (nth) => derivedId(call, nth + 1), wish)
        : changeTask(known, parsed.input, wish);
  if (!decision.ok) return decision.refusal.message;
  draft.project.push(...decision.events);
  const { texts } = rules;
  const planned = decision.events.flatMap((event) => (event.type === "task.created" ? [{ key: event.key ?? "", id: event.task }] : []));
  const said = { create_task: texts.taskMade, update_task: texts.taskChanged, create_plan: () => texts.planMade(planned) }[parsed.tool];
  return endCall(draft, ref, call, said(decision.id));
}

const changeTask = (
  known: Parameters<typeof decideTaskChange>[0],
  { task, ...change }: HouseInput<"update_task">,
  signed: { readonly by: AgentId },
) => decideTaskChange(known, task, change, signed);

/** A task that has begun ends by the words of whoever has it, or by a person: its dialog ends with it. */
function begun(tasks: Tasks, { task: typed, close }: HouseInput<"update_task">, own: TaskId | undefined, rules: HouseRules): Refusing {
  const task = close === undefined ? "none" : findTask(tasks, typed);
  if (typeof task === "string" || task.dialog === undefined || task.closed) return undefined;
  return task.id === own
    ? rules.texts.closeByEnding
    : rules.texts.closeByPerson(task.id, task.assignee && rules.team.nameOf(task.assignee));
}

function cancelAsks(
  draft: Draft,
  ref: TurnRef,
  call: CallPart["call"],
  callIds: readonly string[] | undefined,
  rules: HouseRules,
): Refusing {
  const turn = turnAt(draft.tree, ref);
  const asks = [...(turn?.asks ?? []), ...(turn?.each ?? [])].flatMap((id) => askOf(draft.tree, id) ?? []);
  const questions = (turn?.questions ?? [])
    .flatMap((id) => draft.tree.questions.get(id) ?? [])
    .filter((one) => one.kind === "question" && one.call !== call);
  const open = [...asks, ...questions].flatMap((one) => one.call ?? []);
  const missing = (callIds ?? []).filter((id) => !open.some((known) => known === id));
  if (missing.length > 0) return rules.texts.noSuchAsk(missing, open);
  const isMeant = (one: { readonly call: string | undefined }) => callIds === undefined || callIds.some((id) => id === one.call);
  const cancelled = [...asks.filter(isMeant).map((ask) => ask.headline), ...questions.filter(isMeant).map((one) => one.headline)];
  for (const ask of asks.filter(isMeant)) if (askOf(draft.tree, ask.id)) cancelAsk(draft, ask, rules.texts.cancelledByAsker, "cancelled");
  for (const question of questions.filter(isMeant)) withdrawQuestion(draft, question, rules.texts.cancelledByAsker);
  return endCall(draft, ref, call, rules.texts.cancelled(cancelled));
}

function inThread(
  draft: Draft,
  ref: TurnRef,
  call: CallPart["call"],
  parsed: Extract<Parsed, { tool: "revise_question" | "withdraw_question" }>,
  rules: HouseRules,
): Refusing {
  const cause = turnAt(draft.tree, ref)?.cause;
  const question = cause?.kind === "thread" ? draft.tree.questions.get(cause.question) : undefined;
  if (question?.status !== "open") return rules.texts.questionIsClosed;
  // What a person is asked to approve is the call as recorded, and a form is its tool's: nobody rewrites these.
  if (parsed.tool === "revise_question" && (question.kind === "approval" || question.fields)) return rules.texts.onlyWithdraw;
  if (parsed.tool === "withdraw_question") withdrawQuestion(draft, question, parsed.input.why);
  else {
    const { tellaskContent, headline, options } = parsed.input;
    draft.add({
      type: "question.revised",
      ...draft.here(question.dialog),
      agent: ref.agent,
      question: question.id,
      headline: headline ?? (tellaskContent === undefined ? question.headline : headlineOf(tellaskContent)),
      text: tellaskContent ?? question.text,
      ...((options ?? question.options).length > 0 && { options: [...(options ?? question.options)] }),
    });
  }
  return endCall(draft, ref, call, rules.texts.done);
}

/** Depth and open asks hold the single call: a person is asked, once for the tree, how far it may go. */
function heldByLimit(
  draft: Draft,
  ref: TurnRef,
  call: CallPart["call"],
  asks: number,
  notification: string,
  rules: HouseRules,
): typeof HELD | undefined {
  const { tree } = draft;
  const depth = (turnAt(tree, ref)?.depth ?? 0) + 1;
  const allowed = (limit: "depth" | "openAsks") => rules.limits[limit] + (tree.raised[limit] ?? 0);
  const limit = depth > allowed("depth") ? "depth" : tree.asks.size + asks > allowed("openAsks") ? "openAsks" : undefined;
  if (limit === undefined) return undefined;
  const here = draft.here(ref.dialog);
  const asked = [...tree.openQuestions.keys()].flatMap((id) => tree.questions.get(id) ?? []).find((one) => one.limit === limit);
  if (asked) draft.add({ type: "call.held", ...here, agent: ref.agent, turn: ref.turn, call, question: asked.id });
  else {
    draft.add({
      type: "question.asked",
      ...here,
      agent: ref.agent,
      turn: ref.turn,
      // A call may meet one limit after the other: each is a question of its own.
      question: QuestionId.parse(derivedId(call, tree.seq)),
      notification,
      kind: "limit",
      call,
      limit,
      ...limitQuestion(draft.dialog(ref.dialog).title, limit, limit === "depth" ? depth - 1 : tree.asks.size, allowed(limit), rules.texts),
      ...sourceOf(draft.tree, ref.dialog),
    });
  }
  return HELD;
}

function endCall(draft: Draft, ref: TurnRef, call: CallPart["call"], output: string): undefined {
  draft.add({ type: "call.ended", ...draft.here(ref.dialog), agent: ref.agent, turn: ref.turn, call, output });
}

export function refuseCall(draft: Draft, ref: TurnRef, call: CallPart["call"], output: string): void {
  draft.add({ type: "call.ended", ...draft.here(ref.dialog), agent: ref.agent, turn: ref.turn, call, outcome: "refused", output });
}

/**
 * The end of every decision: where the last other call of a step has its result now, whoever gave it, `clear_mind` and
 * `mark_done` are due.
 */
export function carryOutLasts(draft: Draft, rules: HouseRules): void {
  for (let seen = 0; seen < draft.events.length;) {
    const fresh = draft.events.slice(seen);
    seen = draft.events.length;
    for (const event of fresh) {
      if (!("agent" in event) || event.agent === undefined) continue;
      const { dialog, agent } = event;
      for (const turn of runOf(draft.tree, dialog, agent)?.turns ?? []) carryOutLast(draft, { dialog, agent, turn: turn.id }, rules);
    }
  }
}

/** `clear_mind` and `mark_done`, once every other call of the step has its result. */
function carryOutLast(draft: Draft, ref: TurnRef, rules: HouseRules): void {
  const turn = turnAt(draft.tree, ref);
  if (!turn || turn.calls.length === 0 || !turn.calls.every((call) => call.kind === "house" && isLastTool(call.tool))) return;
  for (const call of turn.calls) carryOut(draft, ref, call.id, rules);
}

/** One of these, if it has no result yet. */
export function carryOut(draft: Draft, ref: TurnRef, id: CallPart["call"], rules: HouseRules): void {
  const turn = turnAt(draft.tree, ref);
  const call = turn?.calls.find((one) => one.id === id);
  if (!turn || !call) return;
  if (call.tool === "clear_mind") {
    endCall(draft, ref, id, rules.texts.done);
    return clearMind(draft, ref.dialog, rules, {});
  }
  const left = [...outstanding(draft, ref, rules), ...(turn.queue.length > 0 ? [rules.texts.unreadMessage] : [])];
  if (left.length > 0) return refuseCall(draft, ref, id, rules.texts.notDone(left));
  endCall(draft, ref, id, rules.texts.done);
  draft.add({ type: "turn.ended", ...draft.here(ref.dialog), agent: ref.agent, turn: ref.turn });
  draft.add({ type: "dialog.completed", ...draft.here(ref.dialog) });
}

/** Withdraws the dialog's questions and starts the next course. Asks, turns, queue and reminders stay. */
export function clearMind(draft: Draft, id: DialogId, rules: HouseRules, signed: { by?: string; msgId?: string }): void {
  // Cleared already, in this same decision: a course in which nothing ever was is no course.
  if (draft.events.some((event) => event.type === "course.started" && event.dialog === id)) return;
  const dialog = draft.dialog(id);
  for (const question of dialog.questions.flatMap((one) => draft.tree.questions.get(one) ?? [])) {
    if (question.kind === "limit" || question.kind === "fault") continue;
    withdrawQuestion(draft, question, rules.texts.mindCleared);
  }
  draft.add({ type: "course.started", dialog: id, course: draft.dialog(id).course + 1, ...signed });
}

/** The context is full: the runtime starts a new course with a summary as a reminder. Nothing is withdrawn. */
export function clearForRoom(
  tree: Tree,
  id: DialogId,
  summary: string,
  isFallback: boolean,
  spent: { readonly usage?: Usage | undefined; readonly cost?: number | undefined },
  rules: HouseRules,
): Decision<TreeEvent> {
  const draft = new Draft(tree, rules.at);
  const dialog = draft.dialog(id);
  // A summary is written in sight of the one before, which it replaces. Last words are no summary.
  const before = isFallback ? undefined : dialog.reminders.find((one) => one.summary);
  if (before) draft.add({ type: "reminder.updated", ...draft.here(id), reminder: before.id, content: summary });
  else {
    const reminder = nextReminder(dialog);
    draft.add({ type: "reminder.added", ...draft.here(id), reminder, content: summary, ...(!isFallback && { summary: true }) });
  }
  const { usage, cost } = spent;
  draft.add({
    type: "course.started",
    dialog: id,
    course: dialog.course + 1,
    full: true,
    ...(usage && { usage }),
    ...(cost !== undefined && { cost }),
  });
  return accept(tree.seq + 2, draft.events);
}

/** What else is open in the tree, in words. */
function outstanding(draft: Draft, ref: TurnRef, rules: HouseRules): readonly string[] {
  const { tree } = draft;
  const asks = [...tree.asks.values()].map((ask) => `${rules.team.nameOf(ask.recipient)}: ${ask.headline}`);
  const questions = [...tree.openQuestions.keys()].flatMap((id) => tree.questions.get(id)?.headline ?? []);
  const turns = [...tree.runs.values()].flatMap((run) =>
    run.turns
      .filter((turn) => !(run.dialog === ref.dialog && run.agent === ref.agent && turn.id === ref.turn))
      .map(() => rules.team.nameOf(run.agent)),
  );
  return [...asks, ...questions, ...turns];
}
