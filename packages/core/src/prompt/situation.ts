import { type AgentId, type DialogId, shortId } from "@colloquy/schema";
import { hash } from "../state/hash.ts";
import type { Texts } from "../texts/texts.ts";
import { headlineOf } from "../commands/title.ts";
import { type Ask, type Dialog, mainDialog, type Question, runOf, type Session, type Tree, turnsOf } from "../state/tree.ts";

/** Whose situation is described: an agent's, in a dialog of the tree, now. */
export interface Viewpoint {
  readonly tree: Tree;
  readonly dialog: Dialog;
  readonly agent: AgentId;
  /** Now, in milliseconds, to say how long something has been open. */
  readonly at: number;
}

/** The changing part of the head: an agent's situation in the tree. */
export const situation = (view: Viewpoint, texts: Texts): string => [placeOf(view, texts), ...standing(view, texts)].join("\n\n");

/** The same as news, for a turn whose head is outdated. */
export const situationNews = (view: Viewpoint, texts: Texts): string =>
  texts.situationChanged(standing(view, texts).join("\n\n") || texts.nothingStands);

/** The agent's reminders, and the asks and questions that it waits for. */
function standing({ tree, dialog, agent, at }: Viewpoint, texts: Texts): readonly string[] {
  const list = (header: string, lines: readonly string[]) =>
    lines.length > 0 ? [`${header}\n${lines.map((line) => `- ${line}`).join("\n")}`] : [];
  const age = (since: number) => texts.age(Math.max(0, at - since));
  const reminders = dialog.reminders.map((one) => `${one.id}: ${one.content}`);
  const asks = openAsks(tree, dialog, agent).map((ask) =>
    texts.openAsk({
      agent: ask.recipient,
      headline: ask.headline,
      age: age(ask.askedAt),
      why: serving(tree, ask, texts),
      side: sideOf(ask),
    }),
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
 * Changes whenever somebody else has changed an agent's situation: people its reminders, side dialogs and people their questions, other
 * dialogs the sessions. The agent has seen its own changes in the results of its calls.
 */
export function situationMark(tree: Tree, dialog: Dialog): string {
  const open = questionsBelow(tree, dialog.id).map((one) => `${one.id}.${one.revision}`);
  const answered = answersBelow(tree, dialog).map((one) => one.id);
  const others = sessionsOf(tree, dialog).filter((one) => tree.dialogs.get(one.dialog)?.side?.asker !== dialog.id);
  const sessions = others.map((one) => one.dialog).toSorted();
  if (dialog.remindedSeq === 0 && open.length + answered.length + sessions.length === 0) return "";
  return hash(JSON.stringify([dialog.remindedSeq, open, answered, sessions]));
}

function placeOf({ tree, dialog, agent }: Viewpoint, texts: Texts): string {
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

/** The name that `end_session` takes. */
const sideOf = ({ kind, to }: Ask): string | undefined => (kind === "tellaskBack" ? undefined : shortId(to));

/** Why an ask takes long, if that can be said briefly. */
function serving(tree: Tree, ask: Ask, texts: Texts): string | undefined {
  const to = tree.dialogs.get(ask.to);
  if (to?.stopped) return texts.isStalled(headlineOf(to.stopped.reason.message));
  if (ask.turn === undefined) return texts.inItsQueue;
  return (to?.questions.length ?? 0) > 0 ? texts.waitsForPerson : undefined;
}

// The functions below run at every step of every dialog. In most trees nothing is open, so they return early.

const questionsBelow = (tree: Tree, id: DialogId): readonly Question[] =>
  tree.openQuestions.size === 0
    ? []
    : [...tree.openQuestions.keys()].flatMap((one) => tree.questions.get(one) ?? []).filter((one) => isBelow(tree, one.dialog, id));

/** True if this dialog asked the other one, directly or through others. */
function isBelow(tree: Tree, id: DialogId, above: DialogId): boolean {
  const asker = tree.dialogs.get(id)?.side?.asker;
  return asker !== undefined && (asker === above || isBelow(tree, asker, above));
}

/** People's answers to dialogs that currently work for this one, along the open asks. */
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

/** Longer answers are cut here. The full answer is in the side dialog and comes with its response. */
const ANSWER_CHARACTERS = 300;

function wordsOf({ closed }: Question, texts: Texts): string {
  const said = texts.answered(closed?.by ?? texts.person, closed?.choice, closed?.content ?? "");
  return said.length > ANSWER_CHARACTERS ? `${said.slice(0, ANSWER_CHARACTERS)}…` : said;
}

const sessionsOf = (tree: Tree, dialog: Dialog): readonly Session[] =>
  dialog.side || tree.registry.size === 0 ? [] : [...tree.registry.values()];
