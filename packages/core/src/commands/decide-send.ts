import type { AgentId, DialogCommand, DialogId } from "@colloquy/schema";
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
 * A person's message, stored unchanged: for each addressed agent it opens a turn, or joins the open one. The sender is told what a busy
 * agent is doing.
 */
export function decideSend(draft: Draft, dialog: Dialog, command: Send, rules: Rules, reopen: () => void): No {
  if (command.content.trim() === "") return refuse("empty_content", "A message needs some text.");
  const mentioned = mentionsOf(command.content, command.mentions, rules.team);
  if ("unknown" in mentioned) return unknownAgent(mentioned.unknown, rules);
  const to = mentioned.agents ?? [dialog.agent];
  if (dialog.side?.fresh && to.some((agent) => agent !== dialog.agent))
    return refuse("bad_request", "Nobody else can be brought into a dialog with fresh boots.");
  const before = draft.tree;
  const opens = to.filter((agent) => !joinableTurn(before, dialog, agent));
  if (dialog.status === "completed") reopen();
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
  });
  const message = draft.tree.seq;
  for (const agent of to) {
    const turn = joinableTurn(before, dialog, agent);
    const isBusy = (runOf(before, dialog.id, agent)?.turns.length ?? 0) > 0;
    // Determined before anything is broken off: that is what it was doing.
    const doing = isBusy ? doingOf(before, dialog, agent, turn, rules) : undefined;
    if (turn) hurry(draft, { dialog: dialog.id, agent, turn: turn.id }, command, rules);
    if (!doing || rules.team.hasBusyModel(agent)) continue;
    const text = rules.texts.busy(rules.team.nameOf(agent), doing, readWhen(draft.tree, dialog.id, agent, turn, command, doing));
    draft.add({ type: "message.acknowledged", ...draft.here(dialog.id), agent, message, text });
  }
  return undefined;
}

export const unknownAgent = (name: string, { team }: Pick<Rules, "team">) =>
  refuse("unknown_agent", `There is no agent "${name}". The team: ${team.ids().join(", ")}.`);

/** Read at once: what is running is aborted if requested, and the turn is told what it waits for. */
function hurry(draft: Draft, ref: TurnRef, { now, interrupt }: Send, rules: Rules): void {
  if (interrupt) breakOff(draft, ref, rules);
  if (now || interrupt) tellOpen(draft, ref, rules);
}

/** Calls that have not started are not run; running ones are aborted, and say so in their result. */
export function breakOff(draft: Draft, ref: TurnRef, rules: Rules): void {
  const here = { ...draft.here(ref.dialog), agent: ref.agent, turn: ref.turn };
  const turn = turnAt(draft.tree, ref);
  if (!turn) return;
  for (const call of notBegun(draft.tree, turn)) {
    const outcome = mayHaveBegun(call, turn) ? "unknown" : "refused";
    draft.add({ type: "call.ended", ...here, call: call.id, outcome, output: rules.texts.interrupted(call.tool) });
  }
}

/** A waiting turn that is to read something at once is told what it waits for. */
export function tellOpen(draft: Draft, ref: TurnRef, rules: Rules): void {
  const turn = turnAt(draft.tree, ref);
  if (!turn || turn.urgentSeq <= turn.seen) return;
  const open = openWork(draft.tree, turn);
  if (open.length === 0) return;
  const text = rules.texts.stillOpenNow(open.map((one) => ({ ...inWords(one, rules), call: one.call })));
  draft.add({ type: "note.added", ...draft.here(ref.dialog), agent: ref.agent, turn: ref.turn, code: "still_open", text });
}

/** Calls of which nothing is recorded yet, except those that wait for a person: they stay. */
function notBegun(tree: Tree, { calls }: Turn): readonly Call[] {
  const firstWithEffect = calls.find((call) => call.kind === "effects");
  // A recorded change is written in any case.
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

/** What a busy agent is doing, as far as the log and the live process tell. */
export function doingOf(tree: Tree, dialog: Dialog, agent: AgentId, turn: Turn | undefined, rules: Rules): Doing {
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

export function readWhen(
  tree: Tree,
  id: DialogId,
  agent: AgentId,
  turn: Turn | undefined,
  { now, interrupt }: Pick<Send, "now" | "interrupt">,
  doing: Doing,
): ReadWhen {
  if (dialogOf(tree, id)?.stopped) return "resumed";
  if (interrupt) return "atOnce";
  if (doing.kind === "tool" || doing.kind === "thinking" || doing.kind === "about") return "nextStep";
  // Only responses that come one by one are awaited: the turn continues to read.
  const isOpen = tree.ready.has(`${id}/${agent}`) && turn !== undefined;
  return now || isOpen ? "atOnce" : "answered";
}
