import type { RootId, Snapshot } from "@colloquy/schema";
import { PersistentMap } from "./persistent-map.ts";
import type { Project } from "./project.ts";
import type { Tree } from "./tree.ts";

/** Raise it when folding the same events gives a different state. Snapshots with an older version are then ignored. */
export const REDUCER_VERSION = 26;

const storedTasks = ({ all, byDialog, open, taken, free, dependents }: Project["tasks"]) => ({
  all: [...all.entries()],
  byDialog: [...byDialog.entries()],
  open: [...open.entries()],
  taken: [...taken.entries()],
  free: [...free.entries()],
  dependents: [...dependents.entries()],
});

const tasksFrom = ({ all, byDialog, open, taken, free, dependents }: ReturnType<typeof storedTasks>): Project["tasks"] => ({
  all: PersistentMap.from(all),
  byDialog: PersistentMap.from(byDialog),
  open: PersistentMap.from(open),
  taken: PersistentMap.from(taken),
  free: PersistentMap.from(free),
  dependents: PersistentMap.from(dependents),
});

type Stored<T> = { [K in keyof T]: T[K] extends PersistentMap<infer V> ? readonly (readonly [string, V])[] : T[K] };

export function treeSnapshot(tree: Tree, pos: number): Snapshot {
  const state: Stored<Tree> = {
    ...tree,
    dialogs: [...tree.dialogs.entries()],
    runs: [...tree.runs.entries()],
    ready: [...tree.ready.entries()],
    asks: [...tree.asks.entries()],
    questions: [...tree.questions.entries()],
    openQuestions: [...tree.openQuestions.entries()],
    deadlines: [...tree.deadlines.entries()],
    registry: [...tree.registry.entries()],
    receipts: [...tree.receipts.entries()],
  };
  return { reducer: REDUCER_VERSION, seq: tree.seq, pos, state };
}

/** For readers who fold on from it and give no commands: without receipts, which grow with the log. */
export const readersSnapshot = (tree: Tree): Omit<Snapshot, "pos"> => {
  const { pos: _, ...snapshot } = treeSnapshot({ ...tree, receipts: PersistentMap.from([]) }, 0);
  return snapshot;
};

export function treeFrom(snapshot: Pick<Snapshot, "state">, rootId: RootId): Tree {
  const state = snapshot.state as Stored<Tree>;
  return {
    ...state,
    rootId,
    dialogs: PersistentMap.from(state.dialogs),
    runs: PersistentMap.from(state.runs),
    ready: PersistentMap.from(state.ready),
    asks: PersistentMap.from(state.asks),
    questions: PersistentMap.from(state.questions),
    openQuestions: PersistentMap.from(state.openQuestions),
    deadlines: PersistentMap.from(state.deadlines),
    registry: PersistentMap.from(state.registry),
    receipts: PersistentMap.from(state.receipts),
  };
}

export const projectSnapshot = (project: Project, pos: number): Snapshot => ({
  reducer: REDUCER_VERSION,
  seq: project.seq,
  pos,
  state: {
    ...project,
    receipts: [...project.receipts.entries()],
    notices: [...project.notices.entries()],
    deleted: [...project.deleted.entries()],
    kept: [...project.kept.entries()],
    sections: [...project.sections.entries()],
    tasks: storedTasks(project.tasks),
  },
});

export function projectFrom(snapshot: Snapshot): Project {
  const state = snapshot.state as Omit<Stored<Project>, "tasks"> & { readonly tasks: ReturnType<typeof storedTasks> };
  return {
    ...state,
    receipts: PersistentMap.from(state.receipts),
    notices: PersistentMap.from(state.notices),
    deleted: PersistentMap.from(state.deleted ?? []),
    kept: PersistentMap.from(state.kept ?? []),
    sections: PersistentMap.from(state.sections),
    tasks: tasksFrom(state.tasks),
  };
}
