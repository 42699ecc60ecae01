import type { ProjectQuestion } from "@colloquy/react";
import { expect, test } from "vitest";
import { alikeOf, bundles, inOrder, standing } from "./inbox-order.ts";

const now = Date.parse("2026-01-01T12:00:00Z");
const question = (id: string, over: Partial<ProjectQuestion> = {}) =>
  ({
    id,
    agentId: "lead",
    askedAt: "2026-01-01T10:00:00Z",
    waitingBehind: 0,
    status: "open",
    kind: "question",
    options: [],
    dialog: { rootId: id, selfId: id },
    ...over,
  }) as ProjectQuestion;
const ids = (all: readonly ProjectQuestion[]) => all.map(({ id }) => id as string);

test("[U1] questions are ordered by what is due within the hour, how many wait, and age", () => {
  const all = [
    question("old", { askedAt: "2026-01-01T08:00:00Z" }),
    question("new"),
    question("many", { waitingBehind: 3, askedAt: "2026-01-01T11:00:00Z" }),
    question("due", { deadline: "2026-01-01T12:30:00Z" }),
    question("dueLater", { deadline: "2026-01-02T12:30:00Z", askedAt: "2026-01-01T11:30:00Z" }),
  ];
  expect(ids(inOrder(all, "frees", now))).toEqual(["due", "many", "old", "new", "dueLater"]);
  expect(ids(inOrder(all, "newest", now))[0]).toBe("dueLater");
});

test("[U22] questions of one dialog share a row", () => {
  const dialog = { rootId: "r", selfId: "s" } as ProjectQuestion["dialog"];
  expect(bundles([question("1", { dialog }), question("2"), question("3", { dialog })]).map(({ questions }) => ids(questions))).toEqual([
    ["1", "3"],
    ["2"],
  ]);
});

test("[U22] approvals of similar calls from one tree share a row; other tools or classes don't", () => {
  const inTree = (id: string, selfId: string, tool: string, classes: ProjectQuestion["classes"]) =>
    question(id, { kind: "approval", tool, classes, dialog: { rootId: "r", selfId } as ProjectQuestion["dialog"] });
  const rows = bundles([
    inTree("1", "a", "run_command", ["destructive"]),
    inTree("2", "b", "run_command", ["destructive"]),
    inTree("3", "b", "run_command", []),
    inTree("4", "a", "write_file", ["destructive"]),
  ]);
  expect(rows.map(({ questions }) => ids(questions))).toEqual([["1", "2"], ["3"], ["4"]]);
});

test("[U22] the same for all is offered only for equal choices", () => {
  const choices = (...labels: readonly string[]) => ({ options: labels.map((label) => ({ label })), multiple: false, allowOther: true });
  const [first, second, third, closed] = [
    question("1", choices("Yes", "No")),
    question("2", choices("Yes", "No")),
    question("3", choices("Red", "Blue")),
    question("4", { ...choices("Yes", "No"), status: "answered" }),
  ] as const;
  expect(ids(alikeOf(first, { questions: [first, second, third, closed] }))).toEqual(["2"]);
  expect(ids(alikeOf(third, { questions: [first, second, third, closed] }))).toEqual([]);
});

test.each([
  [
    "one above the selected row waits",
    ["a", "b"],
    { sorted: ["x", "a", "y", "b"], selected: "b" },
    { keys: ["a", "b"], waiting: ["x", "y"] },
  ],
  ["one below is inserted", ["a", "b"], { sorted: ["a", "x", "b", "y"], selected: "a" }, { keys: ["a", "x", "b", "y"], waiting: [] }],
  ["one that is gone is removed", ["a", "b", "c"], { sorted: ["b", "c"], selected: "b" }, { keys: ["b", "c"], waiting: [] }],
  ["rows do not change places", ["a", "b"], { sorted: ["b", "a"], selected: "a" }, { keys: ["a", "b"], waiting: [] }],
  ["with nothing selected all are in order", ["a"], { sorted: ["x", "a"], selected: undefined }, { keys: ["x", "a"], waiting: [] }],
])("[U-S1] an arriving item never moves the selected row: %s", (_, keys, { sorted, selected }, expected) =>
  expect(standing({ keys, waiting: [] }, sorted, selected)).toEqual(expected),
);
