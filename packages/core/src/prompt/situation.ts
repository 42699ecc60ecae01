import { type AgentId, type DialogId, shortId } from "@colloquy/schema";
import { hash } from "../state/hash.ts";
import type { Texts } from "../texts/texts.ts";
import { headlineOf } from "../commands/title.ts";
import { type Ask, type Dialog, mainDialog, type Question, runOf, type Session, type Tree, turnsOf } from "../state/tree.ts";

/** The changing part of the head: an agent's situation in the tree. */
export const situation = (tree: Tree, dialog: Dialog, agent: AgentId, at: number, texts: Texts): string =>
  [placeOf(tree, dialog, agent, texts), ...standing(tree, dialog, agent, at, texts)].join("\n\n");

/** The same as news, for a turn whose head says otherwise. */
export const situationNews = (tree: Tree, dialog: Dialog, agent: AgentId, at: number, texts: Texts): string =>
  texts.situationChanged(standing(tree, dialog, agent, at, texts).join("\n\n") || texts.nothingStands);

/** Its reminders and what it waits for. `at`: now, for how long something has been open. */
function standing(tree: Tree, dialog: Dialog, agent: AgentId, at: number, texts: Texts): readonly string[] {
  const list = (header: string, lines: readonly string[]) =>
    lines.length > 0 ? [`${header}\n${lines.map((line) => `- ${line}`).join("\n")}`] : [];
  const age = (since: number) => texts.age(Math.max(0, at - since));
  const reminders = dialog.reminders.map((one) => `${one.id}: ${one.content}`);
  const asks = openAsks(tree, dialog, agent).map((ask) =>
    texts.openAsk(ask.recipient, ask.headline, age(ask.askedAt), serving(tree, ask, texts), sideOf(ask)),
  );
  const open = questionsBelow(tree, dialog.id).map((one) => texts.openBelow(one.agent, one.headline, age(one.askedAt)));
  const answered = answersBelow(tree, dialog).map((one) => texts.answerBelow(one.agent, one.headline, wordsOf(one, texts)));
  const sessions = sessionsOf(tree, dialog).map((one) => texts.session(one.agent, one.slug, age(one.lastAccessed)));
  return [
    ...list(texts.remindersHeader, reminders),
    ...list(texts.openAsksHeader, asks),
    ...list(texts.openQuestionsHeader, open),
    ...list(texts.answeredBelow, answered),
    ...list(texts.sessionsHeader, sessions.toSorted()),
  ];
}

/**
 * Tells whether somebody else has changed an agent's situation since it was told: people its reminders, side dialogs and people their
 * questions, other dialogs the sessions. Its own changes it has seen in the results of its calls.
 */
export function situationMark(tree: Tree, dialog: Dialog): string {
  const open = questionsBelow(tree, dialog.id).map((one) => `${one.id}.${one.revision}`);
  const answered = answersBelow(tree, dialog).map((one) => one.id);
  const others = sessionsOf(tree, dialog).filter((one) => tree.dialogs.get(one.dialog)?.side?.asker !== dialog.id);
  const sessions = others.map((one) => one.dialog).toSorted();
  if (dialog.remindedSeq === 0 && open.length + answered.length + sessions.length === 0) return "";
  return hash(JSON.stringify([dialog.remindedSeq, open, answered, sessions]));
}

function placeOf(tree: Tree, dialog: Dialog, agent: AgentId, texts: Texts): string {
  if (dialog.agent !== agent) return texts.placeGuest(dialog.agent);
  if (!dialog.side) return texts.placeMain;
  const asker = dialog.lastAssignment?.from.agent ?? tree.dialogs.get(dialog.side.asker)?.agent ?? "";
  const { agent: owner = "", title = "" } = mainDialog(tree) ?? {};
  const { session, branch } = dialog.side;
  return texts.placeSide(asker, { depth: dialog.lastAssignment?.depth ?? 1, main: { agent: owner, title }, session, branch });
}

function openAsks(tree: Tree, dialog: Dialog, agent: AgentId): readonly Ask[] {
  const turns = runOf(tree, dialog.id, agent)?.turns ?? [];
  const asks = turns.flatMap((turn) => [...turn.asks, ...turn.wakingAsks]).flatMap((id) => tree.asks.get(id) ?? []);
  return asks.toSorted((a, b) => a.seq - b.seq);
}

/** By the name that `end_session` uses. */
const sideOf = ({ kind, to }: Ask): string | undefined => (kind === "tellaskBack" ? undefined : shortId(to));

/** Why an ask takes so long, if that can be said briefly. */
function serving(tree: Tree, ask: Ask, texts: Texts): string | undefined {
  const to = tree.dialogs.get(ask.to);
  if (to?.stopped) return texts.standsStill(headlineOf(to.stopped.reason.message));
  if (ask.turn === undefined) return texts.inItsQueue;
  return (to?.questions.length ?? 0) > 0 ? texts.waitsForPerson : undefined;
}

// Each of these runs at every step of every dialog, and in most trees nothing is open: then nothing is built.

const questionsBelow = (tree: Tree, id: DialogId): readonly Question[] =>
  tree.openQuestions.size === 0
    ? []
    : [...tree.openQuestions.keys()].flatMap((one) => tree.questions.get(one) ?? []).filter((one) => isBelow(tree, one.dialog, id));

/** Did this dialog's asking, directly or through others, lead to the other one? */
function isBelow(tree: Tree, id: DialogId, above: DialogId): boolean {
  const asker = tree.dialogs.get(id)?.side?.asker;
  return asker !== undefined && (asker === above || isBelow(tree, asker, above));
}

/** What people answered to dialogs that work for this one now, along the open asks. */
const answersBelow = (tree: Tree, dialog: Dialog): readonly Question[] =>
  tree.asks.size === 0 ? [] : answersAlong(tree, dialog, new Set([dialog.id]));

function answersAlong(tree: Tree, dialog: Dialog, seen: ReadonlySet<DialogId>): readonly Question[] {
  const below = turnsOf(tree, dialog)
    .flatMap(({ it }) => [...it.asks, ...it.wakingAsks])
    .flatMap((id) => tree.asks.get(id) ?? [])
    .filter((ask) => ask.kind !== "tellaskBack" && !seen.has(ask.to))
    .flatMap((ask) => tree.dialogs.get(ask.to) ?? []);
  return below.flatMap((one) => [
    ...one.answered.flatMap((id) => tree.questions.get(id) ?? []),
    ...answersAlong(tree, one, new Set([...seen, one.id])),
  ]);
}

/** The full answer is in the side dialog, and comes with its response. */
const ANSWER_CHARACTERS = 300;

function wordsOf({ closed }: Question, texts: Texts): string {
  const said = texts.answered(closed?.by ?? texts.person, closed?.choice, closed?.content ?? "");
  return said.length > ANSWER_CHARACTERS ? `${said.slice(0, ANSWER_CHARACTERS)}…` : said;
}

const sessionsOf = (tree: Tree, dialog: Dialog): readonly Session[] =>
  dialog.side || tree.registry.size === 0 ? [] : [...tree.registry.values()];
