import { expect, test } from "vitest";
import { ARMED_AFTER_MS, type Arming, isPlainKey, isTextField, pressed, showing, unarmed } from "./arming.ts";

const plain = { isComposing: false, keyCode: 49, ctrlKey: false, metaKey: false, altKey: false, repeat: false };

test.each([
  ["a plain key", {}, true],
  ["a key of an input method", { isComposing: true }, false],
  ["a key that an input method swallowed", { keyCode: 229 }, false],
  ["with Ctrl", { ctrlKey: true }, false],
  ["with Meta", { metaKey: true }, false],
  ["with Alt", { altKey: true }, false],
  ["held down", { repeat: true }, false],
])("[U-S2] which keys may answer: %s", (_, over, may) => expect(isPlainKey({ ...plain, ...over })).toBe(may));

test.each([
  ["TEXTAREA", undefined, true],
  ["INPUT", "text", true],
  ["INPUT", "checkbox", false],
  ["SELECT", undefined, true],
  ["BUTTON", undefined, false],
])("[U-S2] one writes into %s %s: %s", (tagName, type, is) =>
  expect(isTextField({ tagName, ...(type !== undefined && { type }) })).toBe(is),
);

const shownAt = (now: number, version = "q v1"): Arming => showing(unarmed, version, now);

test("[U-S3] a key acts only on a card that was visible and unchanged for 400 ms without a key press", () => {
  expect(pressed(shownAt(1_000), 1_000 + ARMED_AFTER_MS).isArmed).toBe(true);
  expect(pressed(shownAt(1_000), 1_000 + ARMED_AFTER_MS - 1).isArmed).toBe(false);
});

test("[U-S3] a quick sequence of keys never arms a card; after a pause two presses may be quick", () => {
  let arming = shownAt(0);
  for (const at of [100, 350, 700, 1_050]) {
    arming = pressed(arming, at);
    expect(arming.isArmed).toBe(false);
  }
  arming = pressed(arming, 1_500);
  expect(arming.isArmed).toBe(true);
  expect(pressed(arming, 1_520).isArmed).toBe(true);
});

test("[U-S3] a change of the card, or leaving the view, restarts the wait", () => {
  const armed = pressed(shownAt(0), 500);
  expect(pressed(showing(armed, "q v2", 600), 700).isArmed).toBe(false);
  expect(pressed(showing(armed, undefined, 600), 5_000).isArmed).toBe(false);
});
