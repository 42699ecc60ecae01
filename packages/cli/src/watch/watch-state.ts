import type { QuestionView, RootId } from "@colloquy/library";
import type { DialogAddress } from "../dialogs/ids.ts";
import type { Asked, Item } from "./board.ts";

/** The text being written, and its purpose. */
export interface Composer {
  readonly purpose: "answer" | "back" | "deny" | "new" | "find";
  /** As shown when the writing started: the request carries that version. */
  readonly question?: QuestionView;
  readonly text: string;
}

/** Everything that the screen shows. Changed only by `withItems` and by keys. */
export interface WatchState {
  /** In screen order, which doesn't change by itself. */
  readonly items: readonly Item[];
  readonly selected: RootId | undefined;
  /** The first visible item. */
  readonly top: number;
  /** The index among the item's questions. */
  readonly nth: number;
  /** Choices pressed once, from 0. */
  readonly chosen: readonly number[];
  /** Pressed once; the second press does it. */
  readonly armed: "approve" | "stop" | undefined;
  readonly composer: Composer | undefined;
  readonly drafts: ReadonlyMap<string, string>;
  readonly find: string;
  /** The dialog being read, and its scroll position. */
  readonly reading: { readonly place: DialogAddress; readonly scroll: number } | undefined;
  readonly showsKeys: boolean;
  readonly notice: string;
  /** Postponed questions, and until when. */
  readonly later: ReadonlyMap<string, number>;
  /** Since when the shown question is unchanged and no key came too early; see `isCalm`. */
  readonly calmSince: number;
  readonly shown: string;
}

/** A key pressed within this time of a change was meant for something else (U-S3). */
const CALM_MS = 400;

export const startState = (items: readonly Item[], nowMs: number): WatchState => {
  const sorted = items.toSorted(byNeed);
  const state: WatchState = {
    items: sorted,
    selected: sorted[0]?.rootId,
    top: 0,
    nth: 0,
    chosen: [],
    armed: undefined,
    composer: undefined,
    drafts: new Map(),
    find: "",
    reading: undefined,
    showsKeys: false,
    notice: "",
    later: new Map(),
    calmSince: nowMs,
    shown: "",
  };
  return restartCalm(state, nowMs);
};

/** Arrivals move nothing: known items stay in their place, new ones come below (U-S1). */
export function withItems(state: WatchState, items: readonly Item[], nowMs: number): WatchState {
  const fresh = new Map(items.map((item) => [item.rootId, item]));
  const kept = state.items.map((item): Item => fresh.get(item.rootId) ?? item);
  const known = new Set(state.items.map(({ rootId }) => rootId));
  const isSame = kept.every((item, nth) => item === state.items[nth]) && items.every(({ rootId }) => known.has(rootId));
  if (isSame) return restartCalm(state, nowMs);
  const added = items.filter(({ rootId }) => !known.has(rootId)).toSorted(byNeed);
  const all = [...kept, ...added];
  return restartCalm({ ...state, items: all, selected: state.selected ?? all[0]?.rootId }, nowMs);
}

/** Sorts again and drops closed dialogs, at the person's request. */
export const resorted = (state: WatchState): WatchState => ({
  ...state,
  items: state.items.filter(({ state: one }) => one !== "done" && one !== "archived").toSorted(byNeed),
  top: 0,
});

/** Whether an item that waits for the person is below one that doesn't: worth sorting. */
export const isUnsorted = ({ items }: WatchState): boolean => {
  const first = items.findIndex(({ questions }) => questions.length === 0);
  return first >= 0 && items.slice(first).some(({ questions }) => questions.length > 0);
};

/** If the shown question has changed, the `isCalm` clock restarts, and choices made for it are dropped. */
export function restartCalm(state: WatchState, nowMs: number): WatchState {
  const item = selectedItem(state);
  const asked = shownQuestion(state, nowMs);
  const question = asked?.question;
  const shown = [item?.rootId, question?.id, question?.shown, question?.thread.length, state.reading?.place.selfId].join("/");
  return shown === state.shown ? state : { ...state, shown, calmSince: nowMs, chosen: [], armed: undefined };
}

/** The shown question is unchanged for a while, and no key came too early in that time. */
export const isCalm = ({ calmSince }: WatchState, nowMs: number): boolean => nowMs - calmSince >= CALM_MS;

export function visibleItems({ items, find }: WatchState): readonly Item[] {
  const wanted = find.trim().toLowerCase();
  if (wanted === "") return items;
  const texts = ({ title, agent, questions, rootId }: Item) => [
    title,
    agent,
    rootId,
    ...questions.map(({ question }) => question.headline),
  ];
  return items.filter((item) => texts(item).some((text) => text.toLowerCase().includes(wanted)));
}

export const selectedItem = (state: WatchState): Item | undefined => state.items.find(({ rootId }) => rootId === state.selected);

export const openQuestions = ({ later }: WatchState, item: Item | undefined, nowMs: number): readonly Asked[] =>
  item?.questions.filter(({ question }) => (later.get(question.id) ?? 0) <= nowMs) ?? [];

export function shownQuestion(state: WatchState, nowMs: number): Asked | undefined {
  const open = openQuestions(state, selectedItem(state), nowMs);
  return open[Math.min(state.nth, open.length - 1)];
}

const ORDER: readonly Item["state"][] = ["asking", "stopped", "interrupted", "working", "waiting", "idle", "done", "archived", "dead"];

/** Most urgent first: questions by deadline, by blocked dialogs, by age; then dialogs by state, stopped ones first. */
function byNeed(a: Item, b: Item): number {
  const rank = (item: Item) => (item.questions.length > 0 ? -1 : ORDER.indexOf(item.state));
  const due = ({ questions }: Item) =>
    Math.min(...questions.map(({ question }) => (question.deadline === undefined ? Number.MAX_VALUE : Date.parse(question.deadline))));
  const behind = ({ questions }: Item) => Math.max(0, ...questions.map(({ question }) => question.waitingBehind));
  const age = ({ questions, lastModified }: Item) => questions[0]?.question.askedAt ?? lastModified;
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (rank(a) >= 0) return a.lastModified < b.lastModified ? 1 : -1;
  return due(a) - due(b) || behind(b) - behind(a) || (age(a) < age(b) ? -1 : 1);
}
