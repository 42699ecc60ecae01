import { type Dialog, iso, latestOf, mainDialog, type Tree } from "@colloquy/core";
import type { DialogId, Entry, RootId, Status } from "@colloquy/schema";

/** A dialog as people and programs see it. */
export interface DialogView {
  readonly rootId: RootId;
  readonly selfId: DialogId;
  readonly agentId: string;
  readonly title: string;
  readonly taskDocPath: string;
  readonly createdAt: string;
  readonly lastModified: string;
  readonly status: Status;
  readonly state: Entry["state"] | "interrupted";
  readonly stopped?: { readonly code: string; readonly message: string; readonly by?: string; readonly at: string };
  readonly course: number;
  readonly messages: number;
  readonly seq: number;
  readonly participants: ReturnType<typeof latestOf>["participants"];
  readonly usage: { readonly tokens: number; readonly cost: number | undefined };
  readonly workedMs: number;
  readonly currentTool?: string;
}

/** `isDriven`: somebody is at work on it in this process. */
export function dialogView(tree: Tree, isDriven: boolean, currentTool: string | undefined): DialogView | undefined {
  const main = mainDialog(tree);
  if (!main) return undefined;
  const { participants } = latestOf(tree, main);
  const workedMs = [...tree.runs.values()].reduce((sum, run) => sum + run.workedMs, 0);
  return {
    rootId: tree.rootId,
    selfId: main.id,
    agentId: main.agent,
    title: main.title,
    taskDocPath: main.taskDocPath,
    createdAt: iso(main.createdAt),
    lastModified: iso(main.lastModified),
    status: main.status,
    state: stateOf(tree, main, isDriven),
    ...(main.stopped && { stopped: stoppedView(main.stopped) }),
    course: main.course,
    messages: main.messages,
    seq: tree.seq,
    participants,
    usage: { tokens: tree.spent.tokens, cost: tree.spent.cost > 0 ? tree.spent.cost : undefined },
    workedMs,
    ...(currentTool !== undefined && { currentTool }),
  };
}

const stoppedView = ({ reason, by, at }: NonNullable<Dialog["stopped"]>) => ({
  code: reason.code,
  message: reason.message,
  ...(by !== undefined && { by }),
  at: iso(at),
});

function stateOf(tree: Tree, main: Dialog, isDriven: boolean): DialogView["state"] {
  if (main.status === "completed") return "done";
  if (main.status === "archived") return "archived";
  if (main.stopped) return "stopped";
  if (isDriven) return "working";
  return tree.ready.size > 0 ? "interrupted" : "resting";
}
