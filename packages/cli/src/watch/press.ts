import type { QuestionView } from "@colloquy/library";
import { mainOf, type DialogAddress } from "../dialogs/ids.ts";
import {
  type Composer,
  isCalm,
  openQuestions,
  resorted,
  selectedItem,
  restartCalm,
  shownQuestion,
  visibleItems,
  type WatchState,
} from "./watch-state.ts";

/** A pressed key; `text` is what it types. */
export interface Key {
  readonly text: string;
  readonly name?: "up" | "down" | "enter" | "escape" | "backspace" | "tab" | "pageup" | "pagedown";
  readonly hasModifier?: boolean;
}

/** What a key causes beyond the screen. */
export type Act =
  | { readonly type: "answer"; readonly question: QuestionView; readonly choice?: readonly number[]; readonly content?: string }
  | { readonly type: "approve"; readonly question: QuestionView }
  | { readonly type: "deny"; readonly question: QuestionView; readonly why: string }
  | { readonly type: "back"; readonly question: QuestionView; readonly content: string }
  | { readonly type: "new"; readonly content: string }
  | { readonly type: "stop" | "resume"; readonly place: DialogAddress }
  | { readonly type: "quit" };

export interface Pressed {
  readonly state: WatchState;
  readonly act?: Act;
}

const LATER_MS = 3_600_000;
const PAGE_ITEMS = 10;

/**
 * Handles a key. Keys that answer act only on a question that has been on the screen, whole and unchanged, for a while (`isWhole`,
 * `isCalm`); never with a modifier, and never while text is being written (U-S2, U-S3).
 */
export function press(state: WatchState, key: Key, nowMs: number, isWhole: boolean): Pressed {
  const told = { ...state, notice: "" };
  if (state.composer) return inComposer(told, state.composer, key, nowMs);
  if (key.hasModifier) return { state };
  const isReady = isCalm(state, nowMs) && isWhole;
  const pressed = inList(isWhole ? told : withoutRoom(told, key, nowMs), key, nowMs, isReady);
  // A key that came too early restarts the wait.
  const next = isCalm(state, nowMs) ? pressed.state : { ...pressed.state, calmSince: nowMs };
  return { ...pressed, state: restartCalm(next, nowMs) };
}

/** Says how to answer a question that is only partly on the screen. */
function withoutRoom(state: WatchState, key: Key, nowMs: number): WatchState {
  const asked = shownQuestion(state, nowMs)?.question;
  if (!asked || state.showsKeys || state.reading || !/^[1-9a]$/.test(key.text)) return state;
  const command = asked.kind === "approval" ? "approve" : "answer";
  return { ...state, notice: `No room; colloquy ${command} ${asked.id.slice(-6)}` };
}

function inList(state: WatchState, key: Key, nowMs: number, isReady: boolean): Pressed {
  if (state.showsKeys) return { state: { ...state, showsKeys: false } };
  const moved = move(state, key, nowMs);
  if (moved) return { state: moved };
  const asked = shownQuestion(state, nowMs)?.question;
  if (asked && /^[1-9]$/.test(key.text)) return isReady ? choose(state, asked, Number(key.text) - 1) : { state };
  if (key.name === "enter" && asked && state.chosen.length > 0)
    return isReady ? { state: { ...state, chosen: [] }, act: { type: "answer", question: asked, choice: state.chosen } } : { state };
  if (asked?.kind === "approval" && key.text === "a") return isReady ? approve(state, asked) : { state };
  const item = selectedItem(state);
  switch (key.text) {
    case "r":
      return !asked || asked.kind === "approval" ? { state } : { state: compose(state, "answer", asked) };
    case "b":
      return asked ? { state: compose(state, "back", asked) } : { state };
    case "d":
      return asked?.kind === "approval" ? { state: compose(state, "deny", asked) } : { state };
    case "h":
      return asked
        ? {
            state: { ...state, later: new Map([...state.later, [asked.id, nowMs + LATER_MS]]), notice: "Later: it comes back in an hour." },
          }
        : { state };
    case "o":
      return item ? { state: { ...state, reading: { place: asked?.dialog ?? mainOf(item.rootId), scroll: 0 } } } : { state };
    case "n":
      return { state: compose(state, "new") };
    case "/":
      return { state: compose(state, "find") };
    case "s":
      return item ? stopOrResume(state, mainOf(item.rootId), item.state === "stopped") : { state };
    case ".":
      return { state: resorted(state) };
    case "?":
      return { state: { ...state, showsKeys: true } };
    case "q":
      return { state, act: { type: "quit" } };
    default:
      return item && key.name === "enter" ? { state: { ...state, reading: { place: mainOf(item.rootId), scroll: 0 } } } : { state };
  }
}

/** Navigation; undefined if the key does something else. */
function move(state: WatchState, key: Key, nowMs: number): WatchState | undefined {
  const step =
    key.name === "down" || key.text === "j"
      ? 1
      : key.name === "up" || key.text === "k"
        ? -1
        : key.name === "pagedown"
          ? PAGE_ITEMS
          : key.name === "pageup"
            ? -PAGE_ITEMS
            : 0;
  if (step !== 0 && state.reading) return { ...state, reading: { ...state.reading, scroll: Math.max(0, state.reading.scroll - step) } };
  if (step !== 0) {
    const items = visibleItems(state);
    const at = items.findIndex(({ rootId }) => rootId === state.selected);
    const next = items[Math.max(0, Math.min(items.length - 1, at + step))];
    return { ...state, selected: next?.rootId, nth: 0, armed: undefined };
  }
  if (key.name === "tab") {
    const count = openQuestions(state, selectedItem(state), nowMs).length;
    return { ...state, nth: count === 0 ? 0 : (state.nth + 1) % count };
  }
  if (key.name === "escape") return { ...state, reading: undefined, chosen: [], armed: undefined, ...(state.reading ? {} : { find: "" }) };
  return undefined;
}

/** The first press chooses, the second sends; if several may be chosen a press toggles, and Enter sends. */
function choose(state: WatchState, question: QuestionView, nth: number): Pressed {
  const option = question.options[nth];
  if (!option) return { state };
  const isChosen = state.chosen.includes(nth);
  if (question.multiple) {
    const chosen = isChosen ? state.chosen.filter((one) => one !== nth) : [...state.chosen, nth].toSorted((a, b) => a - b);
    return { state: { ...state, chosen, notice: chosen.length > 0 ? "Enter sends." : "" } };
  }
  if (isChosen) return { state: { ...state, chosen: [] }, act: { type: "answer", question, choice: [nth] } };
  return { state: { ...state, chosen: [nth], notice: `${nth + 1} again or Enter sends: ${option.label}` } };
}

/** Never by Enter, and never by one key. */
function approve(state: WatchState, question: QuestionView): Pressed {
  if (state.armed === "approve") return { state: { ...state, armed: undefined }, act: { type: "approve", question } };
  return { state: { ...state, armed: "approve", notice: "a again approves exactly what is shown, once." } };
}

function stopOrResume(state: WatchState, place: DialogAddress, isStopped: boolean): Pressed {
  if (state.armed === "stop") return { state: { ...state, armed: undefined }, act: { type: isStopped ? "resume" : "stop", place } };
  return {
    state: { ...state, armed: "stop", notice: isStopped ? "s again resumes it." : "s again stops it and everything that works for it." },
  };
}

const draftKey = (purpose: Composer["purpose"], question: QuestionView | undefined): string => `${purpose}/${question?.id ?? ""}`;

function compose(state: WatchState, purpose: Composer["purpose"], question?: QuestionView): WatchState {
  const text = purpose === "find" ? state.find : (state.drafts.get(draftKey(purpose, question)) ?? "");
  return { ...state, armed: undefined, composer: { purpose, text, ...(question && { question }) } };
}

/** Escape never loses text, and Enter never approves (U-S4). */
function inComposer(state: WatchState, composer: Composer, key: Key, nowMs: number): Pressed {
  const { purpose, question, text } = composer;
  const keep = (draft: string): WatchState => ({
    ...state,
    composer: undefined,
    drafts: new Map([...state.drafts, [draftKey(purpose, question), draft]]),
    // The keys pressed to write must not answer what is shown now.
    calmSince: nowMs,
  });
  if (key.name === "escape") return { state: purpose === "find" ? { ...keep(""), find: "" } : keep(text) };
  if (key.name === "enter") {
    if (purpose === "find") return { state: keep("") };
    if (text.trim() === "" && purpose !== "deny") return { state: keep("") };
    // Kept until it is known to be accepted.
    return { state: keep(text), ...actOf(composer) };
  }
  if (key.hasModifier) return { state };
  const written =
    key.name === "backspace" ? [...text].slice(0, -1).join("") : key.name === undefined ? text + key.text.replace(/\s+/g, " ") : text;
  return { state: { ...state, composer: { ...composer, text: written }, ...(purpose === "find" && { find: written }) } };
}

function actOf({ purpose, question, text }: Composer): { readonly act?: Act } {
  if (purpose === "new") return { act: { type: "new", content: text } };
  if (!question) return {};
  if (purpose === "answer") return { act: { type: "answer", question, content: text } };
  if (purpose === "back") return { act: { type: "back", question, content: text } };
  return { act: { type: "deny", question, why: text } };
}

/** The sent text was accepted: its draft is dropped. */
export function accepted(state: WatchState, act: Act): WatchState {
  const question = "question" in act ? act.question : undefined;
  const drafts = new Map(state.drafts);
  if (act.type === "answer" || act.type === "back" || act.type === "deny" || act.type === "new")
    drafts.delete(draftKey(act.type, question));
  return { ...state, drafts };
}
