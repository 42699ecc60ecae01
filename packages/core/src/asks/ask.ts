import {
  type AgentId,
  askIdOf,
  type AskId,
  type AskKind,
  type CallId,
  derivedId,
  DialogId,
  type Side,
  type TreeEventOf,
} from "@colloquy/schema";
import { circleThrough } from "../gate/circle.ts";
import type { Draft } from "../state/draft.ts";
import type { TurnDecision } from "../step/step-decision.ts";
import type { Marker } from "../view/markers.ts";
import { headlineOf } from "../commands/title.ts";
import {
  type Ask,
  askOf,
  type Call,
  isAskedBy,
  isBusy,
  type Question,
  sessionKey,
  type Turn,
  turnAt,
  type TurnRef,
} from "../state/tree.ts";

/** A refusal of one call: the model reads the reason, and the step's other calls continue. */
export type Refusing = string | undefined;

interface NewAsk {
  readonly kind: AskKind;
  readonly call: CallId;
  readonly nth?: number;
  readonly to: AgentId;
  readonly content: string;
  readonly side?: Omit<Side, "asker">;
  readonly wait?: "each" | "all";
  readonly deadline?: number | undefined;
}

/** Opens a side dialog for an ask. */
export function askNew(draft: Draft, from: TurnRef, ask: NewAsk): void {
  const to = DialogId.parse(ask.nth === undefined ? ask.call : derivedId(ask.call, ask.nth));
  const main = draft.dialog(draft.tree.rootId as string as DialogId);
  draft.add({
    type: "dialog.created",
    dialog: to,
    course: 1,
    agent: ask.to,
    title: headlineOf(ask.content),
    taskDocPath: main.taskDocPath,
    side: { asker: from.dialog, ...ask.side },
  });
  draft.add(opening(draft, from, { ...ask, dialog: to }));
}

/** Asks the session with that name: continues it, queues the ask if it is busy, or starts it. */
export function askSession({ draft, ref: from, rules }: TurnDecision, ask: NewAsk, slug: string): Refusing {
  const session = draft.tree.registry.get(sessionKey(ask.to, slug));
  if (!session) {
    askNew(draft, from, { ...ask, side: { session: slug } });
    return undefined;
  }
  const dialog = draft.dialog(session.dialog);
  const queued = isBusy(draft.tree, dialog) || dialog.waiting.length > 0;
  const circle = queued ? circleThrough(draft.tree, dialog, from) : undefined;
  if (circle) return rules.texts.circle(circle.map((agent) => rules.team.nameOf(agent)));
  draft.freeSession(dialog.id);
  draft.add({ ...opening(draft, from, { ...ask, dialog: dialog.id }), ...(queued && { queued }) });
  return undefined;
}

/** A question back to the asker. `call`: the call that asks it; absent if the step's text does. */
interface NewAskBack {
  readonly id: AskId;
  readonly call?: CallId;
  readonly content: string;
}

/** Asks the turn that gave the assignment. Its agent answers in a separate turn. */
export function askBack({ draft, ref: from, rules }: TurnDecision, { id, call, content }: NewAskBack): Refusing {
  const about = assignmentAskedBack(draft, from);
  const asker = about && turnAt(draft.tree, about.from);
  if (!about || !asker) return rules.texts.nobodyToAskBack;
  draft.add({
    type: "ask.opened",
    ...draft.here(from.dialog),
    agent: from.agent,
    turn: from.turn,
    ask: id,
    ...(call !== undefined && { call }),
    kind: "tellaskBack",
    to: about.from.dialog,
    recipient: about.from.agent,
    content,
    depth: Math.max(1, asker.depth),
    about: about.id,
  });
  return undefined;
}

/** The assignment an ask-back is about: the turn's own, or in an ask-back turn that of the turn that asked back. */
export function assignmentAskedBack(draft: Draft, from: TurnRef): Ask | undefined {
  const cause = turnAt(draft.tree, from)?.cause;
  if (cause?.kind === "assignment") return askOf(draft.tree, cause.ask);
  if (cause?.kind !== "askBack") return undefined;
  const asked = askOf(draft.tree, cause.ask);
  const about = asked?.about === undefined ? undefined : askOf(draft.tree, asked.about);
  const waiting = about && turnAt(draft.tree, about.from)?.cause;
  return waiting?.kind === "assignment" ? askOf(draft.tree, waiting.ask) : undefined;
}

function opening(draft: Draft, from: TurnRef, ask: NewAsk & { readonly dialog: DialogId }): TreeEventOf<"ask.opened"> {
  const { kind, call, nth, to, content, wait, deadline } = ask;
  return {
    type: "ask.opened",
    ...draft.here(from.dialog),
    agent: from.agent,
    turn: from.turn,
    ask: askIdOf(call, nth),
    call,
    kind,
    to: ask.dialog,
    recipient: to,
    content,
    depth: (turnAt(draft.tree, from)?.depth ?? 0) + 1,
    ...(wait !== undefined && { wait }),
    ...(deadline !== undefined && { deadline }),
  };
}

/** Gives an ask its one answer; a session that becomes free starts its next assignment. */
export function answerAsk(
  draft: Draft,
  ask: Ask,
  content: string,
  how: { marker?: Marker | undefined; outcome?: TreeEventOf<"ask.answered">["outcome"] } = {},
): void {
  const marker = how.marker === "final" ? "final" : how.marker === "fresh" || how.marker === "freshReasoning" ? how.marker : undefined;
  draft.add({
    type: "ask.answered",
    ...draft.here(ask.from.dialog),
    agent: ask.from.agent,
    turn: ask.from.turn,
    ask: ask.id,
    content,
    quote: ask.headline,
    ...(marker !== undefined && { marker }),
    ...(how.outcome !== undefined && { outcome: how.outcome }),
  });
  withdrawFaults(draft, ask.to, content);
  draft.takeNext(ask.to);
}

/** Once the dialog is over, nobody need decide about its faults. */
function withdrawFaults(draft: Draft, id: DialogId, why: string): void {
  const dialog = draft.dialog(id);
  if (dialog.status === "running") return;
  for (const question of dialog.questions.flatMap((one) => draft.tree.questions.get(one) ?? []))
    if (question.kind === "fault") withdrawQuestion(draft, question, why);
}

/**
 * Ends whatever serves an ask and answers the ask with the reason. Asks of that turn are cancelled the same way, its questions are
 * withdrawn and its calls get results, all in one commit. Output that it produces later is stale.
 */
export function cancelAsk(draft: Draft, ask: Ask, content: string, outcome: NonNullable<TreeEventOf<"ask.answered">["outcome"]>): void {
  if (ask.turn !== undefined) endTurn(draft, { dialog: ask.to, agent: ask.recipient, turn: ask.turn }, content);
  // Ask-backs lead back to the asker, so ending what is below may already have ended this ask.
  if (askOf(draft.tree, ask.id)) answerAsk(draft, ask, content, { outcome });
}

/** Ends a turn and everything that depends on it, without answering what it owes. */
export function endTurn(draft: Draft, ref: TurnRef, why: string): void {
  const turn = turnAt(draft.tree, ref);
  if (!turn) return;
  for (const id of [...turn.asks, ...turn.wakingAsks]) {
    const ask = askOf(draft.tree, id);
    if (ask) cancelAsk(draft, ask, why, "cancelled");
  }
  // Turns that asked this one back are told that they will get no answer.
  for (const ask of askBacksTo(draft, ref)) if (askOf(draft.tree, ask.id)) cancelAsk(draft, ask, why, "cancelled");
  for (const id of turn.questions) {
    const question = draft.tree.questions.get(id);
    if (question?.status === "open" && isAskedBy(question, ref)) withdrawQuestion(draft, question, why);
  }
  for (const call of turnAt(draft.tree, ref)?.calls ?? []) {
    draft.add({
      type: "call.ended",
      ...draft.here(ref.dialog),
      agent: ref.agent,
      turn: ref.turn,
      call: call.id,
      output: why,
      outcome: mayHaveBegun(call, turn) ? "unknown" : "refused",
    });
  }
  draft.add({ type: "turn.ended", ...draft.here(ref.dialog), agent: ref.agent, turn: ref.turn });
}

/** True if the call may have started, even if its start was never logged: the first repeatable call with effects may be running. */
export const mayHaveBegun = (call: Call, turn: Turn): boolean =>
  // A call on a layer has no effect yet. Once its layer may be applied, applying may be in progress.
  (call.started && (!call.isStaged || (call.ran !== undefined && call.held === undefined))) ||
  (call.kind === "effects" &&
    call.repeatable &&
    call.held === undefined &&
    turn.calls.find((one) => one.kind === "effects")?.id === call.id);

/** Open ask-backs about asks of this turn. Turns of its run answer them. */
function askBacksTo(draft: Draft, ref: TurnRef): readonly Ask[] {
  const turn = turnAt(draft.tree, ref);
  const mine = new Set<string>([...(turn?.asks ?? []), ...(turn?.wakingAsks ?? [])]);
  if (mine.size === 0) return [];
  return [...draft.tree.asks.values()].filter((ask) => ask.about !== undefined && mine.has(ask.about));
}

/** Withdraws a question. A call that waited for its approval is not run, because only `approve` releases it. */
export function withdrawQuestion(draft: Draft, question: Question, why: string): void {
  draft.add({
    type: "question.closed",
    ...draft.here(question.dialog),
    agent: question.agent,
    question: question.id,
    as: "withdrawn",
    content: why,
  });
  if (question.kind !== "approval" || question.call === undefined || question.turn === undefined) return;
  const ref = { dialog: question.dialog, agent: question.agent, turn: question.turn };
  if (!turnAt(draft.tree, ref)?.calls.some((call) => call.id === question.call)) return;
  draft.add({
    type: "call.ended",
    ...draft.here(ref.dialog),
    agent: ref.agent,
    turn: ref.turn,
    call: question.call,
    outcome: "refused",
    output: why,
  });
}
