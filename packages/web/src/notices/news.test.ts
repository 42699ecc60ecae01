import type { ProjectNotice, ProjectTask } from "@colloquy/react";
import { expect, test } from "vitest";
import { partsOf, newsFor } from "./news.ts";

const DAY_MS = 86_400_000;
const at = (days: number): string => new Date(days * DAY_MS).toISOString();
const notice = (id: string, days: number) => ({ id, createdAt: at(days) }) as unknown as ProjectNotice;
const task = (id: string, days: number, by?: string) =>
  ({ id, closedAt: at(days), history: [{ at: at(days), what: "closed", ...(by !== undefined && { by }) }] }) as unknown as ProjectTask;
const ids = (...given: Parameters<typeof newsFor>): string =>
  newsFor(...given)
    .map(({ id }) => id)
    .join(" ");

test("[UT3] news, newest first: unread notices, and tasks finished in the last three days", () => {
  const closed = [task("a", 9), task("b", 8.5, "anna"), task("c", 2), task("d", 8)];
  expect(ids([notice("n", 8.7), notice("m", 1)], closed, new Set(["td"]), 10 * DAY_MS)).toBe("ta n m");
});

test.each([
  ["Dependency.\n\n$ npm i zod", { why: "Dependency.", what: "$ npm i zod", diff: undefined }],
  [
    "Scope.\n\na.md\n@@ -1 +1 @@\n-a\n+b",
    { why: "Scope.", what: "a.md\n@@ -1 +1 @@\n-a\n+b", diff: { title: "a.md", text: "@@ -1 +1 @@\n-a\n+b" } },
  ],
  ["only this", { why: "", what: "only this", diff: undefined }],
])("[UT3] why it was told, and what was done: %j", (text, parts) => expect(partsOf(text)).toEqual(parts));
