import { type AgentId, type DialogId, runKey } from "@colloquy/schema";
import { hasWork } from "../gate/next-move.ts";
import { type Dialog, type Run, type Tree, type Turn, type TurnRef } from "./tree.ts";

// Small steps of the fold. Each copies only the path to what it changes.

export const withDialog = (tree: Tree, dialog: Dialog): Tree => ({ ...tree, dialogs: tree.dialogs.set(dialog.id, dialog) });

export function changeDialog(tree: Tree, id: DialogId, changes: (dialog: Dialog) => Partial<Dialog>): Tree {
  const dialog = tree.dialogs.get(id);
  return dialog ? withDialog(tree, { ...dialog, lastModified: tree.at, seq: tree.seq, ...changes(dialog) }) : tree;
}

type RunAt = { readonly dialog: DialogId; readonly agent: AgentId };

export function changeRun(tree: Tree, at: RunAt, changes: (run: Run) => Partial<Run>): Tree {
  const run = tree.runs.get(runKey(at.dialog, at.agent));
  return run ? putRun(tree, { ...run, lastActivityAt: tree.at, ...changes(run) }) : tree;
}

export function changeTurn(tree: Tree, at: TurnRef, changes: (turn: Turn) => Partial<Turn>): Tree {
  return changeRun(
    changeDialog(tree, at.dialog, () => ({})),
    at,
    (run) => ({
      turns: run.turns.map((turn) => (turn.id === at.turn ? { ...turn, ...changes(turn) } : turn)),
    }),
  );
}

export function changeRuns(tree: Tree, dialog: DialogId, changes: (run: Run) => Partial<Run>): Tree {
  const agents = tree.dialogs.get(dialog)?.agents ?? [];
  return agents.reduce((changed, agent) => {
    const run = changed.runs.get(runKey(dialog, agent));
    return run ? putRun(changed, { ...run, ...changes(run) }) : changed;
  }, tree);
}

/** The dialog itself has changed, so its runs may have become ready, or stopped being ready. */
export const refreshReady = (tree: Tree, dialog: DialogId): Tree => changeRuns(tree, dialog, () => ({}));

/** Opens a turn; its id is the `seq` of the event being applied. */
export function openTurn(tree: Tree, at: RunAt, turn: Pick<Turn, "cause" | "depth"> & Partial<Turn>): Tree {
  const run = tree.runs.get(runKey(at.dialog, at.agent)) ?? newRun(tree, at);
  const listed = changeDialog(tree, at.dialog, ({ agents }) => (agents.includes(at.agent) ? {} : { agents: [...agents, at.agent] }));
  const opened: Turn = { ...emptyTurn, id: tree.seq, newestSeq: tree.seq, ...turn };
  return putRun(listed, { ...run, turns: [...run.turns, opened], lastActivityAt: tree.at });
}

/** The turn waits for something new, so an urgent message it has already read no longer keeps it awake. */
export const waitsAgain = (turn: Turn): number => (turn.urgentSeq > turn.seen ? turn.urgentSeq : 0);

/** Ends the turn. A side dialog without a session is complete when it has nothing left to do. */
export function withoutTurn(tree: Tree, at: TurnRef): Tree {
  const task = tree.task?.turn === at.turn ? { ...tree.task, turn: undefined } : tree.task;
  const left = changeRun({ ...tree, task }, at, (run) => ({ turns: run.turns.filter((turn) => turn.id !== at.turn) }));
  return complete(left, at.dialog);
}

export function complete(tree: Tree, id: DialogId): Tree {
  const dialog = tree.dialogs.get(id);
  if (!dialog?.side || dialog.side.session !== undefined || dialog.assignment !== undefined || dialog.status !== "running") return tree;
  const isIdle = dialog.agents.every((agent) => (tree.runs.get(runKey(id, agent))?.turns.length ?? 0) === 0);
  return isIdle ? changeDialog(tree, id, () => ({ status: "completed" })) : tree;
}

const newRun = (tree: Tree, { dialog, agent }: RunAt): Run => ({
  dialog,
  agent,
  turns: [],
  lastProcessedMessageIndex: 0,
  sessionId: undefined,
  createdAt: tree.at,
  lastActivityAt: tree.at,
  workedMs: 0,
  docs: {},
  context: 0,
  contextTold: 0,
});

const emptyTurn: Omit<Turn, "id" | "newestSeq" | "cause" | "depth"> = {
  steps: 0,
  unattended: 0,
  seen: 0,
  stepSeq: 0,
  queue: [],
  urgentSeq: 0,
  followsTurn: undefined,
  calls: [],
  asks: [],
  wakingAsks: [],
  completed: [],
  questions: [],
  repeats: {},
  toldEmpty: false,
  notesGiven: [],
  stands: "",
  attempts: 0,
  alone: false,
};

/** Stores a run and updates `ready` for it and for the runs that wait behind it. Every change that may open or close a gate ends here. */
function putRun(tree: Tree, run: Run): Tree {
  const changed = keepReady({ ...tree, runs: tree.runs.set(runKey(run.dialog, run.agent), run) }, run);
  const agents = tree.dialogs.get(run.dialog)?.agents ?? [];
  if (agents.length === 1) return changed;
  return agents.reduce((settled, agent) => {
    const other = agent === run.agent ? undefined : settled.runs.get(runKey(run.dialog, agent));
    return other?.turns.some((turn) => turn.followsTurn) ? keepReady(settled, other) : settled;
  }, changed);
}

function keepReady(tree: Tree, run: Run): Tree {
  const key = runKey(run.dialog, run.agent);
  const isReady = hasWork(tree, run);
  if (isReady === tree.ready.has(key)) return tree;
  return { ...tree, ready: isReady ? tree.ready.set(key, true) : tree.ready.delete(key) };
}
