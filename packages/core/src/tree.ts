import type { AgentId, CallId, CallKind, DialogId, RootId, Status, StopReason } from "@colloquy/schema";
import { PersistentMap } from "./persistent-map.ts";

/** A dialog as far as decisions need it: no words, only what follows from them. */
export interface Dialog {
  readonly id: DialogId;
  /** The agent that is responsible for it. */
  readonly agent: AgentId;
  readonly title: string;
  readonly taskDocPath: string;
  readonly createdAt: number;
  readonly lastModified: number;
  readonly status: Status;
  readonly stopped: Stopped | undefined;
  readonly course: number;
  /** The first event of the present course; a model is shown nothing before it. */
  readonly courseSeq: number;
  /** Generations of this course so far. */
  readonly gen: number;
  /** Messages of the whole dialog, by people and agents. */
  readonly messages: number;
  /** Every agent that ever had a turn here, its own first. */
  readonly agents: readonly AgentId[];
}

export interface Stopped {
  readonly reason: StopReason;
  readonly by: string | undefined;
  readonly at: number;
}

/** One agent at work in one dialog: the set of its open turns, and what it keeps between them. */
export interface Run {
  readonly dialog: DialogId;
  readonly agent: AgentId;
  /** Oldest first. */
  readonly turns: readonly Turn[];
  readonly lastProcessedMessageIndex: number;
  readonly sessionId: string | undefined;
  readonly createdAt: number;
  readonly lastActivityAt: number;
  /** Time with a step in flight. */
  readonly workedMs: number;
}

/** What a run does for one trigger. Named by the `seq` of the event that opened it. */
export interface Turn {
  readonly id: number;
  /** Steps that have ended. */
  readonly steps: number;
  /** Steps since a person last spoke or resumed. */
  readonly unattended: number;
  /** The last event that it was shown, and the last that is for it: it has something to read when `due > seen`. */
  readonly seen: number;
  readonly due: number;
  /** Messages that it has not been shown. */
  readonly queue: readonly number[];
  /** Calls of its last step that have no result, in the order given. */
  readonly calls: readonly Call[];
  /** How often the same call had the same result. */
  readonly repeats: Readonly<Record<string, number>>;
  readonly toldEmpty: boolean;
  /** How often its next step was driven again after a crash; `alone`: the last time with nothing else in flight. */
  readonly attempts: number;
  readonly alone: boolean;
}

export interface Call {
  readonly id: CallId;
  readonly tool: string;
  readonly kind: CallKind;
  readonly repeatable: boolean;
  readonly polls: boolean;
  readonly started: boolean;
  /** Tells two calls apart without their words. */
  readonly hash: string;
}

/** What was spent, and how much of it a person has already agreed to by resuming. */
export interface Spent {
  readonly tokens: number;
  readonly cost: number;
  readonly agreedTokens: number;
  readonly agreedCost: number;
}

/** The answer that a command got, kept for its repetition. */
export interface Receipt {
  readonly seq: number;
  readonly hash: string;
}

/** A main dialog and all its side dialogs. A pure fold over the tree's events; it holds no message bodies. */
export interface Tree {
  readonly rootId: RootId;
  readonly seq: number;
  readonly at: number;
  readonly dialogs: PersistentMap<Dialog>;
  readonly runs: PersistentMap<Run>;
  /** Runs with a step to take or a call to run. Small, and kept here so that nobody ever walks all dialogs. */
  readonly ready: PersistentMap<true>;
  readonly receipts: PersistentMap<Receipt>;
  readonly spent: Spent;
}

export const emptyTree = (rootId: RootId): Tree => ({
  rootId,
  seq: 0,
  at: 0,
  dialogs: PersistentMap.empty(),
  runs: PersistentMap.empty(),
  ready: PersistentMap.empty(),
  receipts: PersistentMap.empty(),
  spent: { tokens: 0, cost: 0, agreedTokens: 0, agreedCost: 0 },
});

export type RunKey = string;
export const runKey = (dialog: DialogId, agent: AgentId): RunKey => `${dialog}/${agent}`;
export const receiptKey = (by: string, msgId: string): string => `${by}\n${msgId}`;

export const dialogOf = (tree: Tree, id: DialogId): Dialog | undefined => tree.dialogs.get(id);
export const mainDialog = (tree: Tree): Dialog | undefined => tree.dialogs.get(tree.rootId);
export const runOf = (tree: Tree, dialog: DialogId, agent: AgentId): Run | undefined => tree.runs.get(runKey(dialog, agent));
export const turnOf = (run: Run | undefined, id: number): Turn | undefined => run?.turns.find((turn) => turn.id === id);
