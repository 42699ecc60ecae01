import { iso } from "./entry.ts";
import { type Dialog, mainDialog, type Run, runOf, type Tree } from "./tree.ts";

/** A file that people and other programs read. Made from the fold; deleted, it comes back identical. */
export interface ProjectionFile {
  readonly path: string;
  readonly content: unknown;
}

export function projectionsOf(tree: Tree): readonly ProjectionFile[] {
  const main = mainDialog(tree);
  if (!main) return [];
  return [
    { path: "dialog.yaml", content: identityOf(tree, main) },
    { path: "latest.yaml", content: latestOf(tree, main) },
    { path: "reminders.json", content: [] },
  ];
}

const identityOf = (tree: Tree, dialog: Dialog) => ({
  id: dialog.id,
  rootId: tree.rootId,
  agentId: dialog.agent,
  title: dialog.title,
  taskDocPath: dialog.taskDocPath,
  createdAt: iso(dialog.createdAt),
});

/** At rest: what only a living process knows (`generating`, `executing`, the current tool) is false or absent here. */
export function latestOf(tree: Tree, dialog: Dialog) {
  const runs = dialog.agents.map((agent) => runOf(tree, dialog.id, agent)).filter((run) => run !== undefined);
  return {
    status: dialog.status,
    ...(dialog.stopped && { runState: "stopped" }),
    needsDrive: runs.some((run) => tree.ready.has(`${run.dialog}/${run.agent}`)),
    generating: false,
    currentCourse: dialog.course,
    phase: "chat",
    lastModified: iso(dialog.lastModified),
    seq: tree.seq,
    participants: Object.fromEntries(runs.map((run) => [run.agent, participantOf(run)])),
  };
}

const participantOf = (run: Run) => ({
  lastProcessedMessageIndex: run.lastProcessedMessageIndex,
  ...(run.sessionId !== undefined && { sessionId: run.sessionId }),
  run: {
    id: `${run.dialog}/${run.agent}`,
    status: run.turns.length > 0 ? "paused" : "done",
    pendingDelegations: [],
    completedDelegations: [],
    queuedInjections: run.turns.reduce((sum, turn) => sum + turn.queue.length, 0),
    createdAt: iso(run.createdAt),
    lastActivityAt: iso(run.lastActivityAt),
  },
});
