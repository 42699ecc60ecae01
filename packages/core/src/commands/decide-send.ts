import { type AgentId, type DialogCommand, mainDialogOf, runKey } from "@colloquy/schema";
import { mayHaveBegun } from "../asks/ask.ts";
import type { Doing, ReadWhen } from "../texts/conversation-texts.ts";
import { refuse } from "../state/decision.ts";
import type { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";
import { mentionsOf } from "./mentions.ts";
import { joinableTurn, type OpenWork, openWork } from "./open-work.ts";
import { type Call, type Dialog, dialogOf, runOf, type Tree, type Turn, turnAt, type TurnRef } from "../state/tree.ts";

type Send = Extract<DialogCommand, { type: "send" }>;
type No = ReturnType<typeof refuse> | undefined;

/**
 * Adds a person's message unchanged. For each addressed agent it opens a turn or joins the open one. The sender is told what a busy agent
 * is doing.
 */
export function decideSend(draft: Draft, dialog: Dialog, command: Send, rules: Rules): No {
  if (command.content.trim() === "") return refuse("empty_content", "A message needs some text.");
  const mentioned = mentionsOf(command.content, command.mentions, rules.team);
  if ("unknown" in mentioned) return unknownAgent(mentioned.unknown, rules);
  const to = mentioned.agents ?? [dialog.agent];
  if (dialog.side?.fresh && to.some((agent) => agent !== dialog.agent))
    return refuse("bad_request", "Nobody else can join a fresh-boots dialog.");
  const before = draft.tree;
  const opens = to.filter((agent) => !joinableTurn(before, dialog, agent));
  if (dialog.status === "completed") reopen(draft, dialog, command.by);
  draft.add({
    type: "message.added",
    ...draft.here(dialog.id),
    by: command.by,
    ...(command.msgId !== undefined && { msgId: command.msgId }),
    content: command.content,
    to: [...to],
    ...(opens.length > 0 && { opens }),
    ...(command.images && command.images.length > 0 && { images: command.images }),
    ...(command.now && { now: true }),
    ...(command.interrupt && { interrupt: true }),
    ...(command.sessionId !== undefined && { sessionId: command.sessionId }),
    ...(command.trace !== undefined && { trace: command.trace }),
  });
  const message = draft.tree.seq;
  for (const agent of to) {
    const turn = joinableTurn(before, dialog, agent);
    const addressee = { dialog, agent, turn };
    const isBusy = (runOf(before, dialog.id, agent)?.turns.length ?? 0) > 0;
    // Read before anything is broken off, because the sender is told what the agent was doing.
    const doing = isBusy ? doingOf(before, addressee, rules) : undefined;
    if (turn) hurry(draft, { dialog: dialog.id, agent, turn: turn.id }, command, rules);
    if (!doing || rules.team.hasBusyModel(agent)) continue;
    const text = rules.texts.busy(rules.team.nameOf(agent), doing, readWhen(draft.tree, addressee, command, doing));
    draft.add({ type: "message.acknowledged", ...draft.here(dialog.id), agent, message, text });
  }
  return undefined;
}

export const unknownAgent = (name: string, { team }: Pick<Rules, "team">) =>
  refuse("unknown_agent", `There is no agent "${name}". The team: ${team.ids().join(", ")}.`);

/** A message to a completed dialog reopens the dialog and its tree. */
function reopen(draft: Draft, dialog: Dialog, by: string): void {
  const root = draft.dialog(mainDialogOf(draft.tree.rootId));
  if (root.status === "completed") draft.add({ type: "dialog.reopened", ...draft.here(root.id), by });
  if (dialog.id !== root.id) draft.add({ type: "dialog.reopened", ...draft.here(dialog.id), by });
}

/** Makes the turn read the message at once: aborts running calls if requested, and tells the turn what it waits for. */
function hurry(draft: Draft, ref: TurnRef, { now, interrupt }: Send, rules: Rules): void {
  if (interrupt) breakOff(draft, ref, rules);
  if (now || interrupt) tellOpen(draft, ref, rules);
}

/** Ends calls that have not started. Running calls are aborted and say so in their results. */
export function breakOff(draft: Draft, ref: TurnRef, rules: Rules): void {
  const here = { ...draft.here(ref.dialog), agent: ref.agent, turn: ref.turn };
  const turn = turnAt(draft.tree, ref);
  if (!turn) return;
  for (const call of notBegun(draft.tree, turn)) {
    const outcome = mayHaveBegun(call, turn) ? "unknown" : "refused";
    draft.add({ type: "call.ended", ...here, call: call.id, outcome, output: rules.texts.interrupted(call.tool) });
  }
}

/** Tells a waiting turn what it waits for, because it is about to read something at once. */
export function tellOpen(draft: Draft, ref: TurnRef, rules: Rules): void {
  const turn = turnAt(draft.tree, ref);
  if (!turn || turn.urgentSeq <= turn.seen) return;
  const open = openWork(draft.tree, turn);
  if (open.length === 0) return;
  const text = rules.texts.stillOpenNow(open.map((one) => ({ ...inWords(one, rules), call: one.call })));
  draft.add({ type: "note.added", ...draft.here(ref.dialog), agent: ref.agent, turn: ref.turn, code: "still_open", text });
}

/** Calls that have not started, except those that wait for a person. */
function notBegun(tree: Tree, { calls }: Turn): readonly Call[] {
  const firstWithEffect = calls.find((call) => call.kind === "effects");
  // A recorded change is always written.
  const isRecorded = (call: Call) => tree.unwritten.some((one) => one.call === call.id);
  return calls.filter(
    (call) =>
      call.kind !== "house" &&
      !isRecorded(call) &&
      !call.started &&
      call.held === undefined &&
      (call.kind === "reads" || firstWithEffect?.held === undefined),
  );
}

/** The agent a message is for, and the open turn it joins, if any. */
export interface Addressee {
  readonly dialog: Dialog;
  readonly agent: AgentId;
  readonly turn: Turn | undefined;
}

/** What a busy agent is doing, according to the log and the live process. */
export function doingOf(tree: Tree, { dialog, agent, turn }: Addressee, rules: Rules): Doing {
  if (dialog.stopped) return { kind: "stopped" };
  const work = rules.atWork(dialog.id, agent);
  if (work?.tool !== undefined) return { kind: "tool", tool: work.tool, forMs: rules.at - work.sinceMs };
  if (work) return { kind: "thinking", forMs: rules.at - work.sinceMs };
  const open = (turn ? [turn] : (runOf(tree, dialog.id, agent)?.turns ?? [])).flatMap((one) => openWork(tree, one));
  if (open.length > 0 || (turn && turn.calls.length > 0)) return { kind: "waiting", open: open.map((one) => inWords(one, rules)) };
  return { kind: "about" };
}

const inWords = ({ who, headline, sinceMs }: OpenWork, { team, at }: Rules) => ({
  who: who === undefined ? undefined : team.nameOf(who as AgentId),
  headline,
  forMs: at - sinceMs,
});

/** When the addressee will read the message. */
export function readWhen(
  tree: Tree,
  { dialog: { id }, agent, turn }: Addressee,
  { now, interrupt }: Pick<Send, "now" | "interrupt">,
  doing: Doing,
): ReadWhen {
  if (dialogOf(tree, id)?.stopped) return "resumed";
  if (interrupt) return "atOnce";
  if (doing.kind === "tool" || doing.kind === "thinking" || doing.kind === "about") return "nextStep";
  // The turn waits only for responses that arrive one by one, so it reads messages in between.
  const isOpen = tree.ready.has(runKey(id, agent)) && turn !== undefined;
  return now || isOpen ? "atOnce" : "answered";
}
