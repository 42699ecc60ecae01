import type { Key as InkKey } from "ink";
import { expect, test } from "vitest";
import { asking, item, question } from "../../test/watching.ts";
import { keysOf } from "./ink-keys.ts";
import { accepted, type Act, type Key, press } from "./press.ts";
import { startState, shownQuestion, type WatchState, withItems } from "./watch-state.ts";

const NOW = 1_000_000;
const LATER = NOW + 1_000;

/** Presses keys one after the other, with a pause before each. */
function pressAll(state: WatchState, keys: readonly (string | Key)[], { from = LATER, every = 1_000, isWhole = true } = {}) {
  const acts: Act[] = [];
  let now = from;
  for (const key of keys) {
    const { state: next, act } = press(state, typeof key === "string" ? { text: key } : key, now, isWhole);
    state = next;
    if (act) acts.push(act);
    now += every;
  }
  return { state, acts, now };
}

const enter: Key = { text: "", name: "enter" };
const escape: Key = { text: "", name: "escape" };

test("[K76] arrivals change neither selection nor order: they are added below, until sorted", () => {
  const start = pressAll(startState([asking(1), item(2), item(3)], NOW), ["j"]).state;
  const selected = start.selected;
  const order = start.items.map(({ rootId }) => rootId);
  const arrived = withItems(start, [asking(1), asking(2), item(3), asking(9, { waitingBehind: 9 })], LATER + 5_000);
  expect(arrived.selected).toBe(selected);
  expect(arrived.items.map(({ rootId }) => rootId).slice(0, 3)).toEqual(order);
  expect(arrived.items).toHaveLength(4);
  expect(arrived.top).toBe(start.top);
  // An ended one also stays in its place.
  expect(withItems(arrived, [asking(1)], LATER + 6_000).items).toHaveLength(4);
  const sorted = pressAll(arrived, ["."], { from: LATER + 9_000 }).state;
  expect(sorted.items[0]?.rootId).toBe(asking(9).rootId);
  expect(sorted.selected).toBe(selected);
});

test("[K79] a choice takes two presses, or one and Enter", () => {
  const state = startState([asking(1)], NOW);
  const once = pressAll(state, ["2"]);
  expect(once.acts).toEqual([]);
  expect(once.state.chosen).toEqual([1]);
  expect(once.state.notice).toContain("SQLite");
  expect(pressAll(state, ["2", "2"]).acts).toMatchObject([{ type: "answer", choice: [1] }]);
  expect(pressAll(state, ["2", enter]).acts).toMatchObject([{ type: "answer", choice: [1] }]);
  expect(pressAll(state, ["2", "1"]).acts).toEqual([]);
  expect(pressAll(state, ["2", escape, "2"]).acts).toEqual([]);
  expect(pressAll(state, ["7", "7"]).acts).toEqual([]);
  const several = startState([asking(1, { multiple: true })], NOW);
  expect(pressAll(several, ["1", "2", "1", enter]).acts).toMatchObject([{ type: "answer", choice: [1] }]);
});

test("[K79] an approval takes two presses of its own key, and never Enter", () => {
  const state = startState([asking(1, { kind: "approval", options: [] })], NOW);
  expect(pressAll(state, ["a"]).acts).toEqual([]);
  expect(pressAll(state, ["a", enter, enter]).acts).toEqual([]);
  expect(pressAll(state, [enter, "1", "1", "r"]).acts).toEqual([]);
  expect(pressAll(state, ["a", "a"]).acts).toMatchObject([{ type: "approve", question: { shown: "1.0" } }]);
  expect(pressAll(state, ["a", "j", "a"]).acts).toEqual([]);
  expect(pressAll(state, ["d", "n", "o", enter]).acts).toMatchObject([{ type: "deny", why: "no" }]);
  // On a question the key does nothing.
  expect(pressAll(startState([asking(1)], NOW), ["a", "a"]).acts).toEqual([]);
});

test("[K78] a question is answered only after 400 ms on the screen without a key", () => {
  const state = startState([asking(1)], NOW);
  expect(pressAll(state, ["1", "1", "1", "1"], { from: NOW + 100, every: 100 }).acts).toEqual([]);
  expect(pressAll(state, ["1", "1"], { from: NOW + 399, every: 399 }).acts).toEqual([]);
  expect(pressAll(state, ["1", "1"], { from: NOW + 400, every: 50 }).acts).toHaveLength(1);
  // Moving to another item restarts the wait.
  const two = startState([asking(1), asking(2)], NOW);
  expect(pressAll(two, ["j", "1", "1"], { every: 300 }).acts).toEqual([]);
  expect(pressAll(two, ["j", "1", "1"], { every: 401 }).acts).toHaveLength(1);
});

test("[K78] a changed question drops the choice and restarts the wait", () => {
  const chosen = pressAll(startState([asking(1)], NOW), ["1"]).state;
  const revised = withItems(chosen, [{ ...asking(1), questions: [question(1, { shown: "1.1", headline: "Another?" })] }], LATER + 1_500);
  expect(revised.chosen).toEqual([]);
  expect(pressAll(revised, ["1"], { from: LATER + 1_600 }).state.chosen).toEqual([]);
  const discussed = withItems(
    chosen,
    [{ ...asking(1), questions: [question(1, { thread: [{ by: "coder", content: "Hm.", at: "" }] })] }],
    LATER + 1_500,
  );
  expect(discussed.chosen).toEqual([]);
  // The same question again changes nothing.
  expect(withItems(chosen, [asking(1)], LATER + 1_500).chosen).toEqual([0]);
});

test("[K78] a question that doesn't fit the screen is not answered by a key", () => {
  const narrow = pressAll(startState([asking(1)], NOW), ["1", "1"], { isWhole: false });
  expect(narrow.acts).toEqual([]);
  expect(narrow.state.notice).toMatch(/^No room; colloquy answer [0-9a-f]{6}$/);
});

test("[K77] not with a modifier, and not while writing", () => {
  const state = startState([asking(1)], NOW);
  expect(
    pressAll(state, [
      { text: "1", hasModifier: true },
      { text: "1", hasModifier: true },
    ]).state,
  ).toEqual(state);
  const written = pressAll(state, ["r", "1", "1", "a", "q", "s", "s"]);
  expect(written.acts).toEqual([]);
  expect(written.state.composer?.text).toBe("11aqss");
  expect(pressAll(written.state, [enter]).acts).toMatchObject([{ type: "answer", content: "11aqss" }]);
});

test("[K77] several characters at once are text for a composer, and otherwise only move", () => {
  const none = {
    upArrow: false,
    downArrow: false,
    return: false,
    escape: false,
    ctrl: false,
    meta: false,
    tab: false,
    backspace: false,
    delete: false,
    pageUp: false,
    pageDown: false,
  };
  const key = none as unknown as InkKey;
  expect(keysOf("11", key, false)).toEqual([]);
  expect(keysOf("aa", key, false)).toEqual([]);
  expect(keysOf("jjk", key, false).map(({ text }) => text)).toEqual(["j", "j", "k"]);
  expect(keysOf("PostgreSQL", key, true)).toEqual([{ text: "PostgreSQL" }]);
  expect(keysOf("yes\r", key, true)).toEqual([{ text: "yes" }, { text: "", name: "enter" }]);
  expect(keysOf("1", { ...key, meta: true }, false)).toEqual([{ text: "1", hasModifier: true }]);
  expect(keysOf("", { ...key, escape: true, meta: true }, false)).toEqual([{ text: "", name: "escape", hasModifier: false }]);
});

test("[K80] a request carries the version shown when writing started; the text is kept until accepted", () => {
  const writing = pressAll(startState([asking(1)], NOW), ["r", "P", "G"]).state;
  const revised = withItems(writing, [{ ...asking(1), questions: [question(1, { shown: "1.1" })] }], LATER + 4_000);
  expect(revised.composer?.text).toBe("PG");
  const { state, acts } = pressAll(revised, [enter], { from: LATER + 5_000 });
  expect(acts).toMatchObject([{ type: "answer", content: "PG", question: { shown: "1.0" } }]);
  expect(pressAll(state, ["r"], { from: LATER + 9_000 }).state.composer?.text).toBe("PG");
  const [act] = acts;
  expect(act && pressAll(accepted(state, act), ["r"], { from: LATER + 9_000 }).state.composer?.text).toBe("");
});

test("[K80] Escape leaves, and never loses text", () => {
  const left = pressAll(startState([asking(1)], NOW), ["b", "H", "m", escape, "j"]).state;
  expect(left.composer).toBeUndefined();
  expect(pressAll(left, ["b"], { from: LATER + 9_000 }).state.composer?.text).toBe("Hm");
  const back = pressAll(left, ["b", { text: "", name: "backspace" }, " more", enter], { from: LATER + 9_000 });
  expect(back.acts).toMatchObject([{ type: "back", content: "H more" }]);
});

test("[K76] later postpones a question for an hour; find, new, stop and quit", () => {
  const state = startState([asking(1), item(2, { title: "Release notes" })], NOW);
  const { state: off, now } = pressAll(state, ["h"]);
  expect(shownQuestion(off, now)).toBeUndefined();
  expect(shownQuestion(off, now + 3_600_000)?.question.id).toBe(question(1).question.id);
  expect(pressAll(state, ["n", "H", "i", enter]).acts).toMatchObject([{ type: "new", content: "Hi" }]);
  expect(pressAll(state, ["s"]).acts).toEqual([]);
  expect(pressAll(state, ["s", "s"]).acts).toMatchObject([{ type: "stop" }]);
  expect(pressAll(startState([item(1, { state: "stopped" })], NOW), ["s", "s"]).acts).toMatchObject([{ type: "resume" }]);
  const found = pressAll(state, ["/", "n", "o", "t", "e", "s", enter]).state;
  expect(found.find).toBe("notes");
  expect(pressAll(found, [escape]).state.find).toBe("");
  expect(pressAll(state, ["q"]).acts).toEqual([{ type: "quit" }]);
  expect(pressAll(state, ["o"]).state.reading?.place).toEqual(question(1).question.dialog);
  expect(pressAll(state, [enter, escape]).state.reading).toBeUndefined();
});

test("[K76] Tab cycles through the questions of one tree", () => {
  const both = { ...asking(1), questions: [question(1), question(5)] };
  const { state, now } = pressAll(startState([both], NOW), [{ text: "", name: "tab" }]);
  expect(shownQuestion(state, now)?.question.id).toBe(question(5).question.id);
});
