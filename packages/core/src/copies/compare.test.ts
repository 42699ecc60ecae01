import type { RootId, TreeEvent } from "@colloquy/schema";
import { expect, test } from "vitest";
import { callId, dialog, lead, rootId } from "../testing.ts";
import { compareStories } from "./compare.ts";
import { Story } from "./story.ts";

const here = { dialog, course: 1, agent: lead };
const other = dialog.replaceAll(/.$/g, "9") as typeof dialog;
const created = (id: typeof dialog = dialog): TreeEvent => ({
  type: "dialog.created",
  dialog: id,
  course: 1,
  agent: lead,
  title: "",
  taskDocPath: "",
});
const told = (content: string, id: typeof dialog = dialog): TreeEvent => ({
  type: "message.added",
  dialog: id,
  course: 1,
  by: "anna",
  content,
  to: [lead],
});
const said = (saying: string, more: object = {}): TreeEvent =>
  ({
    type: "step.ended",
    ...here,
    turn: 2,
    step: 1,
    seen: 1,
    index: 1,
    gen: 1,
    ms: 0,
    parts: saying === "" ? [] : [{ saying }],
    ...more,
  }) as TreeEvent;
const wrote = (path: string, nth: number): readonly TreeEvent[] => [
  said("", {
    parts: [{ call: callId(nth), tool: "write_file", input: { path, content: "" }, kind: "effects" }],
    cost: 0.25,
    usage: { input: 10, output: 2 },
  }),
  { type: "call.ended", ...here, turn: 2, call: callId(nth), output: "ok" },
];
const stopped: TreeEvent = { type: "dialog.stopped", dialog, course: 1, reason: { code: "person", message: "" } };

/** Each event in a commit of its own, a minute after the one before. */
function story(events: readonly TreeEvent[], startsAt = 0): Story {
  const made = new Story();
  for (const [nth, event] of events.entries())
    made.add({ v: 1, pos: nth, seq: nth + 1, at: new Date(startsAt + nth * 60_000).toISOString(), events: [event] });
  return made;
}
const compare = (one: readonly TreeEvent[], another: readonly TreeEvent[]) =>
  compareStories(
    { rootId, title: "A", story: story(one) },
    { rootId: other as string as RootId, title: "B", story: story(another, 9_000_000) },
  );

const begin = [created(), told("Paint the door")];
test.each([
  ["identical", [...begin, said("Red.")], [...begin, said("Red.")], 2, 0, 0],
  ["with other ids and times", [created(), told("Hi")], [created(other), told("Hi", other)], 1, 0, 0],
  ["parted by a word", [...begin, said("Red."), said("Done.")], [...begin, said("Blue."), said("Done.")], 1, 2, 2],
  ["of which one goes on", [...begin, said("Red.")], begin, 1, 1, 0],
  ["stopped in between", [...begin, stopped, said("Red.")], [...begin, said("Red.")], 2, 0, 0],
  ["from the beginning", [created(), told("One")], [created(), told("Two")], 0, 1, 1],
  ["said by somebody else", [...begin, told("Go on")], [...begin, { ...told("Go on"), by: "ben" } as TreeEvent], 1, 1, 1],
  ["in another of their dialogs", [created(), created(other), told("Hi")], [created(), created(other), told("Hi", other)], 0, 1, 1],
  ["both empty", [], [], 0, 0, 0],
] as const)("[CP1][CP2] two trees are aligned until they part: %s", (...[, one, another, ...sizes]) => {
  const compared = compare(one, another);
  expect([compared.same, compared.sides[0].rows.length, compared.sides[1].rows.length]).toEqual(sizes);
  expect(compared.last !== undefined).toBe(sizes[0] > 0);
});

test("[CP3] each side has its steps, words, cost, calls and files since they parted", () => {
  const shared = [...begin, ...wrote("shared.txt", 1)];
  const { same, last, sides, onlyFiles } = compare(
    [...shared, said("Two words 和字"), ...wrote("a.txt", 2), ...wrote("both.txt", 3)],
    [...shared, ...wrote("both.txt", 2)],
  );
  expect(same).toBe(3);
  expect(last).toMatchObject({ kind: "result", text: "ok" });
  expect(sides[0]).toMatchObject({ steps: 3, words: 4, tokens: 24, cost: 0.5, calls: { write_file: 2 }, files: ["a.txt", "both.txt"] });
  expect(sides[1]).toMatchObject({ steps: 1, words: 0, tokens: 12, cost: 0.25, calls: { write_file: 1 }, files: ["both.txt"] });
  expect(onlyFiles).toEqual([["a.txt"], []]);
});

test("[CP4] long sides and texts are cut, and say so", () => {
  const many = Array.from({ length: 510 }, (_, nth) => told(`message ${nth}`));
  const [left, right] = compare([...begin, ...many], [...begin, told("x".repeat(5_000))]).sides;
  expect([left.rows.length, left.more]).toEqual([500, 10]);
  expect(right.rows[0]?.text).toHaveLength(2_000);
});
