import type { ProjectNotice, ProjectTask } from "@colloquy/react";

/** A notice: what an agent did without asking, or a finished task. */
export type NewsItem =
  | { readonly kind: "notice"; readonly id: string; readonly at: number; readonly notice: ProjectNotice }
  | { readonly kind: "task"; readonly id: string; readonly at: number; readonly task: ProjectTask };

/** Key for addresses and local storage; a task and a notice may have the same digits. */
const finishedId = (task: { readonly id: string }): string => `t${task.id}`;

/** How long a finished task is listed. */
const NEWS_MS = 3 * 86_400_000;

/** Newest first, without finished tasks marked as read here and tasks that a person closed. */
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

/** The reason for a notice, and what was done: text, or a diff with its file. */
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
