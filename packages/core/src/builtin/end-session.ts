import { type BuiltinInput, shortId } from "@colloquy/schema";
import { cancelAsk, endTurn, type Refusing, withdrawQuestion } from "../asks/ask.ts";
import type { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";
import type { CallDecision, TurnDecision } from "../step/step-decision.ts";
import { findAgent } from "../commands/mentions.ts";
import { type Ask, askOf, type Dialog, sessionKey, type TurnRef, turnsOf } from "../state/tree.ts";
import { endCall } from "./end-call.ts";

/** Ends a session or a side dialog that its asker no longer needs. One commit ends everything open in it and frees its name. */
export function endSession(at: CallDecision, input: BuiltinInput<"end_session">): Refusing {
  const { draft, ref, rules } = at;
  const { texts } = rules;
  const dialog = find(draft, input, rules);
  if (typeof dialog === "string") return dialog;
  if (dialog.id === ref.dialog) return texts.endOwnDialog;
  if (dialog.status !== "running") return texts.endedAlready;
  const asks = [...dialog.waiting, ...(dialog.assignment === undefined ? [] : [dialog.assignment])].flatMap(
    (id) => askOf(draft.tree, id) ?? [],
  );
  if (!isAsker(dialog, asks, ref)) return texts.endNotYours(rules.team.nameOf(dialog.agent));
  const waiting = othersWaiting(at, dialog, asks);
  if (waiting.length > 0) return texts.othersWait(waiting);
  // The call gets its result first, because an ask-back turn ends with the dialog that asked back.
  endCall(draft, ref, texts.sessionEnded(rules.team.nameOf(dialog.agent), dialog.side?.session));
  // Queued asks are cancelled first, so that none of them begins in a dialog that is about to end.
  for (const ask of asks) if (askOf(draft.tree, ask.id)) cancelAsk(draft, ask, texts.endedByAsker, "cancelled");
  for (const open of turnsOf(draft.tree, draft.dialog(dialog.id))) endTurn(draft, open, texts.endedByAsker);
  for (const question of draft.dialog(dialog.id).questions.flatMap((id) => draft.tree.questions.get(id) ?? []))
    withdrawQuestion(draft, question, texts.endedByAsker);
  draft.add({ type: "dialog.ended", ...draft.here(dialog.id), endedBy: { dialog: ref.dialog, agent: ref.agent } });
  return undefined;
}

/** Finds a session by agent and name, or a side dialog by its id; otherwise returns the reason for the refusal. */
function find(draft: Draft, { targetAgentId, sessionSlug, dialogId }: BuiltinInput<"end_session">, rules: Rules): Dialog | string {
  const { tree } = draft;
  if (dialogId !== undefined) {
    const typed = dialogId.toLowerCase();
    const found = [...tree.dialogs.values()].filter(({ id, side }) => side && (id === typed || id.endsWith(typed)));
    return found.length === 1 && found[0]
      ? found[0]
      : rules.texts.noSideDialog(
          dialogId,
          found.map(({ id }) => shortId(id)),
        );
  }
  const agent = findAgent(targetAgentId ?? "", rules.team);
  if (agent === undefined) return rules.texts.unknownAgent(targetAgentId ?? "", rules.team.ids());
  const session = tree.registry.get(sessionKey(agent, sessionSlug ?? ""));
  if (session) return draft.dialog(session.dialog);
  const known = [...tree.registry.values()].filter((one) => one.agent === agent).map((one) => one.slug);
  return rules.texts.noSession(rules.team.nameOf(agent), sessionSlug ?? "", known);
}

/** It is below this dialog, works for it, or last worked for it. */
const isAsker = ({ side, response }: Dialog, asks: readonly Ask[], ref: TurnRef): boolean =>
  side?.asker === ref.dialog || response?.to === ref.dialog || asks.some(({ from }) => from.dialog === ref.dialog);

/** Other askers, and people who wrote to it and are waiting for an answer. */
function othersWaiting({ draft, ref, rules }: TurnDecision, dialog: Dialog, asks: readonly Ask[]): readonly string[] {
  const others = asks.filter(({ from }) => from.dialog !== ref.dialog || from.agent !== ref.agent);
  const isPersonWaiting = turnsOf(draft.tree, dialog).some(({ it }) => it.cause.kind === "message");
  const names = others.map(({ from }) => rules.team.nameOf(from.agent));
  return [...new Set([...names, ...(isPersonWaiting ? [rules.texts.person] : [])])];
}
