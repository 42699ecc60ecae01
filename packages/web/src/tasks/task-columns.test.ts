import type { TaskView } from "@colloquy/schema";
import { expect, test } from "vitest";
import { columnsOf, fitting, lastFailure, openDependencies, since } from "./task-columns.ts";

const task = (id: string, over: Partial<Record<keyof TaskView, unknown>> = {}): TaskView =>
  ({
    id,
    kind: "task",
    title: `Title ${id}`,
    description: "",
    status: "open",
    dependsOn: [],
    history: [],
    createdAt: "2026-01-01T00:00:00Z",
    ...over,
  }) as unknown as TaskView;

const tasks = [
  task("a"),
  task("b", { dependsOn: ["a"] }),
  task("c", { dependsOn: ["d", "long gone"] }),
  task("d", { status: "closed", closedAt: "2026-01-03T00:00:00Z" }),
  task("e", { status: "blocked", kind: "feedback", description: "The search is slow" }),
  task("f", { status: "in_progress", history: [{ at: "2026-01-02T00:00:00Z", what: "taken" }] }),
];
const ids = (some: readonly TaskView[]): string => some.map(({ id }) => id).join("");

test("[UT1] open tasks are split by readiness; a missing dependency counts as closed", () => {
  const { ready, notReady, in_progress, blocked, closed } = columnsOf(tasks);
  expect([ready, notReady, in_progress, blocked, closed].map(ids)).toEqual(["ac", "b", "f", "e", "d"]);
});

test("[UT1] a filtered-out task still blocks others", () => {
  const shown = fitting(tasks, "all", "title b");
  expect([ids(columnsOf(tasks, shown).ready), ids(columnsOf(tasks, shown).notReady)]).toEqual(["", "b"]);
  expect(ids(openDependencies(tasks[1] ?? task("x"), tasks))).toBe("a");
});

test.each([
  ["feedback", "", "e"],
  ["all", "SLOW search", "e"],
  ["all", "nowhere", ""],
  ["task", "", "abcdf"],
] as const)("[UT1] filtered by kind %s and words “%s”", (kind, text, found) => expect(ids(fitting(tasks, kind, text))).toBe(found));

test("[UT1] a task shows since when it has its state, and why it last failed", () => {
  expect(tasks.slice(3).map((one) => new Date(since(one)).getUTCDate())).toEqual([3, 1, 2]);
  const history = [
    { at: "", what: "failed", why: "first" },
    { at: "", what: "taken" },
    { at: "", what: "failed", why: "second" },
  ];
  expect(lastFailure(task("g", { history }))).toBe("second");
});
