import { expect, test } from "vitest";
import { completed, namedInPassing, soughtAt } from "./completion.ts";

test.each([
  ["@", { sign: "@", typed: "", isAtStart: true }],
  ["@rev", { sign: "@", typed: "rev", isAtStart: true }],
  ["look at @src/a", { sign: "@", typed: "src/a", isAtStart: false }],
  ["＠审", { sign: "@", typed: "审", isAtStart: true }],
  ["请看＠src", { sign: "@", typed: "src", isAtStart: false }],
  ["as in #ord", { sign: "#", typed: "ord", isAtStart: false }],
])("[U26] %s is completed", (text, expected) => expect(soughtAt(text, text.length)).toMatchObject(expected));

test.each(["anna@example.org", "a #b c", "@lead go", "", "5#3"])("[U26] nothing is offered for %s", (text) =>
  expect(soughtAt(text, text.length)).toBeUndefined(),
);

test("[U26] a chosen completion replaces the typed text, and the caret follows it", () => {
  const text = "see @or, please";
  const sought = soughtAt(text, 7);
  expect(sought && completed(text, sought, "src/orders.ts")).toEqual({ text: "see src/orders.ts, please", caret: 17 });
});

test("[U26] a name in the middle of the text addresses nobody", () => {
  const team = [{ id: "reviewer", name: "Rita" }];
  expect(namedInPassing("let @rita look", team)).toEqual(team[0]);
  expect(namedInPassing("@rita look", team)).toBeUndefined();
  expect(namedInPassing("mail a@rita.org", team)).toBeUndefined();
});
