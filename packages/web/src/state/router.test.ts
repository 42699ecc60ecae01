import { expect, test } from "vitest";
import { parseRoute, pathOf, type Route } from "./router.ts";

test.each<Route>([
  { page: "inbox" },
  { page: "inbox", projectId: "shop", questionId: "q1" },
  { page: "dialogs", projectId: "a/b ü" },
  { page: "new", projectId: "shop" },
  { page: "tasks" },
  { page: "tasks", projectId: "shop" },
  { page: "tasks", projectId: "shop", isNew: true },
  { page: "task", projectId: "shop", taskId: "a1b2c3" },
  { page: "inbox", projectId: "shop", noticeId: "n1" },
  { page: "settings" },
  { page: "activity" },
  { page: "dialog", projectId: "shop", dialogId: "d1" },
  { page: "dialog", projectId: "shop", dialogId: "d1", seq: 12, beside: "d2" },
  { page: "dialog", projectId: "shop", dialogId: "d1", course: 3 },
  { page: "timeline", projectId: "shop", dialogId: "d1" },
  { page: "locate", id: "3f2a" },
])("[U8] every page has an address that leads back to it: $page", (route) => {
  const url = new URL(pathOf(route), "http://here");
  expect(parseRoute(url.pathname, url.search, url.hash)).toEqual(route);
});

test("[U8] any other address is not found", () => expect(parseRoute("/x/y")).toEqual({ page: "nowhere" }));
