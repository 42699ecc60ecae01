import type {
  ActClass,
  AgentId,
  ApprovalVerdict,
  AskId,
  AskKind,
  CallId,
  CallKind,
  DialogId,
  FormField,
  LimitName,
  OfferedChoice,
  Phase,
  QuestionId,
  QuestionKind,
  QuestionStatus,
  QuestionTopic,
  RootId,
  Side,
  Status,
  StopReason,
  TaskId,
  TaskKind,
  UndoConflict,
} from "@colloquy/schema";
import { PersistentMap } from "./persistent-map.ts";

/** A dialog as far as decisions need it: no words, only what follows from them. */
export interface Dialog {
  readonly id: DialogId;
  /** The agent that is responsible for it. Another one takes it over only if that one has left the team. */
  readonly agent: AgentId;
  readonly title: string;
  readonly taskDocPath: string;
  readonly createdAt: number;
  /** The event that made it: dialogs of one moment keep their order. */
  readonly createdSeq: number;
  readonly lastModified: number;
  /** The last event that changed it. */
  readonly seq: number;
  readonly status: Status;
  readonly isDead: boolean;
  /** Its asker ended it: it takes no messages and no assignments. */
  readonly isEnded: boolean;
  readonly stopped: Stopped | undefined;
  /** Absent for the main dialog. */
  readonly side: Side | undefined;
  /** The assignment that it serves now, and those that wait for it. */
  readonly assignment: AskId | undefined;
  readonly waiting: readonly AskId[];
  /** The assignment that it served last, also once it is answered. */
  readonly lastAssignment: Ask | undefined;
  /** Its last answer to an asker. */
  readonly response: Response | undefined;
  readonly phase: Phase;
  /** What was last handed on with a phase. */
  readonly summary: string | undefined;
  /** What a model last wrote of it, and how many messages it had then. */
  readonly written: { readonly summary: string; readonly messages: number } | undefined;
  /** Its first request and the last answer of its own agent, in short, with their events. */
  readonly firstRequest: { readonly seq: number; readonly text: string } | undefined;
  readonly lastAnswer: { readonly seq: number; readonly text: string } | undefined;
  /** Files that its agents read or wrote, the last one last. */
  readonly references: readonly string[];
  readonly course: number;
  /** The first event of the present course; a model is shown nothing before it. */
  readonly courseSeq: number;
  /** Where reading must begin for this course: before it, where something was unread, owed or open when it began. */
  readonly readFrom: number;
  /** Generations of this course so far. */
  readonly gen: number;
  /** Messages of the whole dialog, by people and agents. */
  readonly messages: number;
  /** Every agent that ever had a turn here, its own first. */
  readonly agents: readonly AgentId[];
  readonly reminders: readonly Reminder[];
  /** The last change of the reminders by a person: its agent has not seen it in a result. */
  readonly remindedSeq: number;
  /** Open questions, oldest first. */
  readonly questions: readonly QuestionId[];
  /** What people have answered while it serves its present assignment. */
  readonly answered: readonly QuestionId[];
}

export interface Stopped {
  readonly reason: StopReason;
  readonly by: string | undefined;
  readonly at: number;
  /** The event that stopped it, and the stop that it came with, if any. */
  readonly seq: number;
  readonly cause: number | undefined;
  /** Whoever works for it stands still with it, also who begins only now. */
  readonly tree: boolean;
}

export interface Reminder {
  readonly id: number;
  readonly content: string;
  /** Of the courses before, written when the context was full; the next one replaces it. */
  readonly summary?: boolean;
}

export interface Response {
  readonly to: DialogId;
  readonly ask: AskId;
  /** The event with its words. */
  readonly seq: number;
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
  /** The versions of documents that it was last shown. */
  readonly docs: Readonly<Record<string, string>>;
  /** Tokens that its last request took, and the share of the window at which it was last told. */
  readonly context: number;
  readonly contextTold: number;
}

/** What a turn is for, and what it owes when it ends. */
export type Cause =
  /** A person's message: its answer is for whoever reads along. */
  | { readonly kind: "message" }
  | { readonly kind: "assignment"; readonly ask: AskId }
  | { readonly kind: "askBack"; readonly ask: AskId }
  /** A person asks back about a question: the answer goes into the question's thread. */
  | { readonly kind: "thread"; readonly question: QuestionId };

/** What a run does for one trigger. Named by the `seq` of the event that opened it. */
export interface Turn {
  readonly id: number;
  readonly cause: Cause;
  /** How long the chain of assignments is that led here. */
  readonly depth: number;
  /** Steps that have ended. */
  readonly steps: number;
  /** Steps since a person last spoke or resumed. */
  readonly unattended: number;
  /** The last event that it was shown, and the last that is for it: it has something to read when `newestSeq > seen`. */
  readonly seen: number;
  readonly newestSeq: number;
  /** Messages that it has not been shown. */
  readonly queue: readonly number[];
  /** The last message that must be read at once, whatever else is open; 0 when that is over. */
  readonly urgentSeq: number;
  /** Addressed by the same message before this one: it begins when that turn has ended or waits. */
  readonly followsTurn: { readonly agent: AgentId; readonly turn: number } | undefined;
  /** The event of its last step. */
  readonly stepSeq: number;
  /** Calls of its last step that have no result, in the order given. */
  readonly calls: readonly Call[];
  /** Asks that it waits for, and those that only wake it. */
  readonly asks: readonly AskId[];
  readonly wakingAsks: readonly AskId[];
  /** Delegations that it has the answers to. */
  readonly completed: readonly Completed[];
  /** Open questions that it waits for. */
  readonly questions: readonly QuestionId[];
  /** How often the same call had the same result. */
  readonly repeats: Readonly<Record<string, number>>;
  readonly toldEmpty: boolean;
  /** What it was told of its output, once each. */
  readonly notesGiven: readonly string[];
  /** Where its agent stood when it was last told: `situationMark`. */
  readonly stands: string;
  /** How often its next step was driven again after a crash; `alone`: the last time with nothing else in flight. */
  readonly attempts: number;
  readonly alone: boolean;
}

export interface Completed {
  readonly call: CallId | undefined;
  readonly dialog: DialogId;
  readonly recipient: AgentId;
  /** The event with the answer. */
  readonly seq: number;
  readonly at: number;
}

export interface Call {
  readonly id: CallId;
  readonly tool: string;
  readonly kind: CallKind;
  readonly repeatable: boolean;
  readonly polls: boolean;
  readonly started: boolean;
  /** It runs on a layer: until that is applied, nothing has happened. */
  readonly isStaged?: boolean | undefined;
  /** It has run on its layer, which is not applied: the first of the paths that it would change, and how many more there are. */
  readonly ran?: { readonly paths: readonly string[]; readonly more: number } | undefined;
  /** Waits for this question before it may run, or be decided. */
  readonly held: QuestionId | undefined;
  /** A limit had room for so much of it: that is not given to another one before it is decided. */
  readonly reserved?: number | undefined;
  /** A person approved it with another input. */
  readonly isChanged: boolean;
  /** The file that it reads or writes. */
  readonly file: string | undefined;
  /** Tells two calls apart without their words. */
  readonly hash: string;
}

/** A command whose changes are applied. The newest of a tree are kept. */
export interface AppliedCall {
  readonly call: CallId;
  readonly dialog: DialogId;
  readonly agent: AgentId;
  readonly tool: string;
  /** The first of the paths that it changed, and how many more there are. */
  readonly paths: readonly string[];
  readonly more: number;
  /** A person wants it undone, and nobody knows yet whether it is. */
  readonly undoBy: string | undefined;
  readonly isUndone: boolean;
  /** Why it was not undone when that was last tried. */
  readonly refused: { readonly why: "conflict" | "gone"; readonly conflicts: readonly UndoConflict[] } | undefined;
}

export interface TurnRef {
  readonly dialog: DialogId;
  readonly agent: AgentId;
  readonly turn: number;
}

/** A call from a turn to another agent that it waits for. Gone from the tree once it is answered. */
export interface Ask {
  readonly id: AskId;
  readonly kind: AskKind;
  readonly call: CallId | undefined;
  readonly from: TurnRef;
  /** The dialog that serves it, and the agent there. */
  readonly to: DialogId;
  readonly recipient: AgentId;
  /** The turn that serves it; absent while it waits in a session's queue. */
  readonly turn: number | undefined;
  readonly about: AskId | undefined;
  readonly wait: "each" | "all" | undefined;
  readonly depth: number;
  readonly headline: string;
  readonly deadline: number | undefined;
  readonly askedAt: number;
  /** The event with its words. */
  readonly seq: number;
}

/** Something that a person must decide. An open one is whole; of a closed one only its end is kept. */
export interface Question {
  readonly id: QuestionId;
  readonly notification: string;
  readonly kind: QuestionKind;
  readonly dialog: DialogId;
  readonly agent: AgentId;
  readonly turn: number | undefined;
  readonly call: CallId | undefined;
  readonly headline: string;
  readonly text: string;
  readonly options: readonly OfferedChoice[];
  readonly multiple: boolean;
  readonly allowOther: boolean;
  readonly deadline: number | undefined;
  readonly otherwise: string | undefined;
  readonly source: string;
  readonly sourceId: string;
  readonly limit: LimitName | undefined;
  readonly needs: number | undefined;
  readonly topic: QuestionTopic | undefined;
  /** The question whose answer it took. */
  readonly reuses: QuestionId | undefined;
  /** The question of another tree with which it is closed. */
  readonly shares: QuestionId | undefined;
  readonly given: { readonly id?: string | undefined; readonly createdAt?: string | undefined } | undefined;
  readonly tool: string | undefined;
  readonly classes: readonly ActClass[];
  /** The versions of the files that it was shown with. */
  readonly basis: Readonly<Record<string, string>> | undefined;
  /** Tells whether another has the same words. */
  readonly hash: string;
  /** What a tool wants to know, while this is open: its call waits, and is not ended by the answer. */
  readonly fields: readonly FormField[] | undefined;
  readonly askedAt: number;
  readonly course: number;
  readonly seq: number;
  readonly revision: number;
  /** Further calls and turns that wait for it. */
  readonly alsoHolds: readonly (TurnRef & { readonly call: CallId | undefined; readonly needs: number | undefined })[];
  readonly thread: readonly { readonly by: string; readonly content: string; readonly at: number }[];
  readonly status: QuestionStatus;
  readonly closed:
    | {
        readonly content: string;
        readonly choice: readonly string[] | undefined;
        /** Of an approval. */
        readonly verdict: ApprovalVerdict | undefined;
        readonly byGrant: string | undefined;
        readonly by: string | undefined;
        readonly at: number;
        readonly seq: number;
      }
    | undefined;
}

/** What was spent, and how much of it a person has already agreed to. */
export interface Spent {
  readonly tokens: number;
  readonly cost: number;
  readonly ms: number;
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
  /** Who began it. */
  readonly owner: string | undefined;
  readonly dialogs: PersistentMap<Dialog>;
  readonly runs: PersistentMap<Run>;
  /** Runs with a step to take or a call to run. Small, and kept here so that nobody ever walks all dialogs. */
  readonly ready: PersistentMap<true>;
  /** Open asks. */
  readonly asks: PersistentMap<Ask>;
  readonly questions: PersistentMap<Question>;
  /** Ids of the open ones: few, however many there were. */
  readonly openQuestions: PersistentMap<true>;
  /** Asks and open questions that are over at a time. */
  readonly deadlines: PersistentMap<number>;
  /** `agentId!sessionSlug` → the dialog that keeps that session. */
  readonly registry: PersistentMap<Session>;
  readonly receipts: PersistentMap<Receipt>;
  readonly spent: Spent;
  /** The task that it works on, if it is one's. */
  readonly task: TreeTask | undefined;
  /** Changes of documents that are recorded, and perhaps not written. */
  readonly unwritten: readonly Unwritten[];
  /** Commands that can be undone, or were, oldest first. */
  readonly applied: readonly AppliedCall[];
  /** What people have added to a limit. */
  readonly raised: Readonly<Partial<Record<LimitName, number>>>;
  /** Limits of the whole tree that a person is asked about: nothing thinks meanwhile. */
  readonly limitQuestions: readonly QuestionId[];
}

/** A task, as far as its tree knows it. */
export interface TreeTask {
  readonly id: TaskId;
  readonly kind: TaskKind;
  readonly key: string | undefined;
  /** The turn that is its run, while it is open. */
  readonly turn: number | undefined;
  /** How its run went so far, by the last words that said so. */
  readonly said: "success" | "failed" | undefined;
  /** How its last run went. */
  readonly report: { readonly status: "success" | "failed"; readonly summary: string; readonly asks: boolean } | undefined;
  /** The version of its `config.json` that was written last, not by a person. */
  readonly config: string | undefined;
  /** Runs that failed without asking, in a row. */
  readonly failures: number;
  /** Questions of its runs that are over since it was last taken, and in which course. */
  readonly answered: readonly { readonly question: string; readonly answer: string; readonly course: number }[];
}

export interface Unwritten {
  readonly path: string;
  readonly from: string;
  readonly to: string;
  readonly dialog: DialogId;
  /** The call whose input has the words; without one they are in the event. */
  readonly call: CallId | undefined;
  readonly seq: number;
}

export interface Session {
  readonly dialog: DialogId;
  readonly agent: AgentId;
  readonly slug: string;
  readonly createdAt: number;
  readonly lastAccessed: number;
}

export const emptyTree = (rootId: RootId): Tree => ({
  rootId,
  seq: 0,
  at: 0,
  owner: undefined,
  dialogs: PersistentMap.empty(),
  runs: PersistentMap.empty(),
  ready: PersistentMap.empty(),
  asks: PersistentMap.empty(),
  questions: PersistentMap.empty(),
  openQuestions: PersistentMap.empty(),
  deadlines: PersistentMap.empty(),
  registry: PersistentMap.empty(),
  receipts: PersistentMap.empty(),
  spent: { tokens: 0, cost: 0, ms: 0 },
  task: undefined,
  unwritten: [],
  applied: [],
  raised: {},
  limitQuestions: [],
});

export type RunKey = string;
export const runKey = (dialog: DialogId, agent: AgentId): RunKey => `${dialog}/${agent}`;
export const receiptKey = (by: string, msgId: string): string => `${by}\n${msgId}`;
export const sessionKey = (agent: AgentId, slug: string): string => `${agent}!${slug}`;

export const dialogOf = (tree: Tree, id: DialogId): Dialog | undefined => tree.dialogs.get(id);
export const mainDialog = (tree: Tree): Dialog | undefined => tree.dialogs.get(tree.rootId);
export const runOf = (tree: Tree, dialog: DialogId, agent: AgentId): Run | undefined => tree.runs.get(runKey(dialog, agent));
export const turnOf = (run: Run | undefined, id: number): Turn | undefined => run?.turns.find((turn) => turn.id === id);
export const turnAt = (tree: Tree, ref: TurnRef): Turn | undefined => turnOf(runOf(tree, ref.dialog, ref.agent), ref.turn);
/** Others may wait for it, too: it is theirs no more than another's answer is. */
export const isAskedBy = (question: Question, ref: TurnRef): boolean =>
  question.turn === ref.turn && question.dialog === ref.dialog && question.agent === ref.agent;
/** A person asked for it, and it is not known whether it is done. */
export const isBeingUndone = ({ undoBy }: AppliedCall): boolean => undoBy !== undefined;
export const appliedCall = (tree: Tree, call: CallId): AppliedCall | undefined => tree.applied.find((one) => one.call === call);
export const askOf = (tree: Tree, id: AskId): Ask | undefined => tree.asks.get(id);

/** Is anything open that this turn waits for or may still hear of? */
export const hasOpen = (turn: Turn): boolean => turn.calls.length + turn.asks.length + turn.wakingAsks.length + turn.questions.length > 0;

/** A message may join it; what was asked back is answered without it. */
export const isJoinable = (turn: Turn): boolean => turn.cause.kind === "message" || turn.cause.kind === "assignment";

/** Its own agent is at work here, or owes somebody an answer. */
export const isBusy = (tree: Tree, dialog: Dialog): boolean => (runOf(tree, dialog.id, dialog.agent)?.turns.length ?? 0) > 0;

/** All turns of a dialog, with the agent that takes them. */
export const turnsOf = (tree: Tree, dialog: Dialog): readonly (TurnRef & { readonly it: Turn })[] =>
  dialog.agents.flatMap((agent) =>
    (runOf(tree, dialog.id, agent)?.turns ?? []).map((it) => ({ dialog: dialog.id, agent, turn: it.id, it })),
  );
