import type { Entry } from "@colloquy/schema";
import { mainDialog, type Tree } from "./tree.ts";

/** What the project's index says of a tree, so that lists and start-up need not open it. */
export function entryOf(tree: Tree): Entry | undefined {
  const main = mainDialog(tree);
  if (!main) return undefined;
  const hot = tree.ready.size > 0;
  return {
    rootId: tree.rootId,
    status: main.status,
    hot,
    agent: main.agent,
    title: main.title,
    state: main.status === "running" ? (main.stopped ? "stopped" : hot ? "working" : "resting") : main.status === "completed" ? "done" : "archived",
    ...(main.stopped && { stopped: main.stopped.reason.message }),
    createdAt: iso(main.createdAt),
    lastModified: iso(tree.at),
    ...(tree.spent.cost > 0 && { cost: tree.spent.cost }),
    ...(tree.spent.tokens > 0 && { tokens: tree.spent.tokens }),
  };
}

export const iso = (ms: number): string => new Date(ms).toISOString();
