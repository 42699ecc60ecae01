import type { ProjectNotice, ProjectTask } from "@colloquy/react";

/** Something that a person is told and need not decide: what an agent did without asking, or a task that is finished. */
export type NewsItem =
  | { readonly kind: "notice"; readonly id: string; readonly at: number; readonly notice: ProjectNotice }
  | { readonly kind: "task"; readonly id: string; readonly at: number; readonly task: ProjectTask };

/** What it is called in an address and in what this browser remembers: a task and a notice may have the same digits. */
const finishedId = (task: { readonly id: string }): string => `t${task.id}`;

/** Finished tasks are news for so long. */
const NEWS_MS = 3 * 86_400_000;

/** Newest first. Finished tasks that were put away here are left out; so is what a person closed. */
export function newsFor(
  notices: readonly ProjectNotice[],
  all: readonly ProjectTask[],
  putAway: ReadonlySet<string>,
  now: number,
): readonly NewsItem[] {
  const tasks = all.filter(
    ({ id, closedAt, history }) =>
      closedAt !== undefined &&
      now - Date.parse(closedAt) < NEWS_MS &&
      !putAway.has(finishedId({ id })) &&
      history.at(-1)?.by === undefined,
  );
  return [
    ...notices.map((notice): NewsItem => ({ kind: "notice", id: notice.id, at: Date.parse(notice.createdAt), notice })),
    ...tasks.map((task): NewsItem => ({ kind: "task", id: finishedId(task), at: Date.parse(task.closedAt ?? ""), task })),
  ].toSorted((a, b) => b.at - a.at);
}

/** Why it was told, and exactly what was done: in words, or as a difference with what it is a difference of. */
export function partsOf(text: string): {
  readonly why: string;
  readonly what: string;
  readonly diff: { readonly title: string; readonly text: string } | undefined;
} {
  const end = text.indexOf("\n\n");
  const [why, what] = end < 0 ? ["", text] : [text.slice(0, end), text.slice(end + 2)];
  const start = /^@@ -\d+/m.exec(what)?.index;
  return { why, what, diff: start === undefined ? undefined : { title: what.slice(0, start).trim(), text: what.slice(start) } };
}
