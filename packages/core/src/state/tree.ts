import {
  type ActClass,
  type AgentId,
  type ApprovalVerdict,
  type AskId,
  type AskKind,
  type CallId,
  type CallKind,
  type Definition,
  type DialogId,
  type FormField,
  type LimitName,
  type OfferedChoice,
  type Phase,
  type QuestionId,
  type QuestionKind,
  type QuestionStatus,
  type QuestionTopic,
  type RootId,
  runKey,
  type Side,
  type Status,
  type StopReason,
  type TaskId,
  type TaskKind,
} from "@colloquy/schema";
import type { AppliedCall, Unsettled } from "./past-call.ts";
import { PersistentMap } from "./persistent-map.ts";

/** What decisions need to know about a dialog. It holds no message bodies. */
export interface Dialog {
  readonly id: DialogId;
  /** The agent responsible for it. Another agent takes over only if this one has left the team. */
  readonly agent: AgentId;
  readonly title: string;
  readonly taskDocPath: string;
  /** The outside program whose question it holds, if it does. */
  readonly program?: string | undefined;
  readonly createdAt: number;
  /** The `seq` of the event that created it. It orders dialogs created at the same time. */
  readonly createdSeq: number;
  readonly lastModified: number;
  /** The last event that changed it. */
  readonly seq: number;
  readonly status: Status;
  readonly isDead: boolean;
  /** Ended by its asker: it accepts neither messages nor assignments. */
  readonly isEnded: boolean;
  readonly stopped: Stopped | undefined;
  /** Absent for the main dialog. */
  readonly side: Side | undefined;
  /** The assignment it serves now, and those queued for it. */
  readonly assignment: AskId | undefined;
  readonly waiting: readonly AskId[];
  /** The assignment it served last, kept after the answer. */
  readonly lastAssignment: Ask | undefined;
  /** Its last answer to an asker. */
  readonly response: Response | undefined;
  readonly phase: Phase;
  /** The summary handed on with the last change of phase. */
  readonly summary: string | undefined;
  /** The last summary that a model wrote of it, and the number of messages at that time. */
  readonly written: { readonly summary: string; readonly messages: number } | undefined;
  /** Its first request and its own agent's last answer, both shortened, each with the `seq` of its event. */
  readonly firstRequest: { readonly seq: number; readonly text: string } | undefined;
  readonly lastAnswer: { readonly seq: number; readonly text: string } | undefined;
  /** Files that its agents read or wrote, the latest last. */
  readonly references: readonly string[];
  readonly course: number;
  /** The first event of the current course. A model is shown nothing before it. */
  readonly courseSeq: number;
  /** Where reading for this course must start. Earlier than `courseSeq` if something was unread, owed or open when the course began. */
  readonly readFrom: number;
  /** Generations in this course so far. */
  readonly gen: number;
  /** Messages in the whole dialog, from people and agents. */
  readonly messages: number;
  /** Every agent that ever had a turn here, the responsible one first. */
  readonly agents: readonly AgentId[];
  readonly reminders: readonly Reminder[];
  /** The last time a person changed the reminders. The agent has seen no tool result about it. */
  readonly remindedSeq: number;
  /** Open questions, oldest first. */
  readonly questions: readonly QuestionId[];
  /** Questions answered by people while it serves its current assignment. */
  readonly answered: readonly QuestionId[];
}

export interface Stopped {
  readonly reason: StopReason;
  readonly by: string | undefined;
  readonly at: number;
  /** The event that stopped it, and the event of the stop that caused this one, if any. */
  readonly seq: number;
  readonly cause: number | undefined;
  /** Dialogs that work for this one are stopped with it, including those created later. */
  readonly tree: boolean;
}

export interface Reminder {
  readonly id: number;
  readonly content: string;
  /** A summary of earlier courses, written when the context was full. The next summary replaces it. */
  readonly summary?: boolean;
}

export interface Response {
  readonly to: DialogId;
  readonly ask: AskId;
  /** The event that holds the answer's text. */
  readonly seq: number;
  readonly at: number;
}

/** One agent working in one dialog: its open turns, and what it keeps between turns. */
export interface Run {
  readonly dialog: DialogId;
  readonly agent: AgentId;
  /** Oldest first. */
  readonly turns: readonly Turn[];
  readonly lastProcessedMessageIndex: number;
  readonly sessionId: string | undefined;
  readonly createdAt: number;
  readonly lastActivityAt: number;
  /** Total time with a step in flight. */
  readonly workedMs: number;
  /** The document versions it was last shown. */
  readonly docs: Readonly<Record<string, string>>;
  /** Tokens in its last request, and in the request at which the agent was last told how full its context is. */
  readonly context: number;
  readonly contextTold: number;
}

/** Why a turn exists, and what it owes when it ends. */
export type Cause =
  /** A person's message. The answer is for everyone who follows the dialog. */
  | { readonly kind: "message" }
  | { readonly kind: "assignment"; readonly ask: AskId }
  | { readonly kind: "askBack"; readonly ask: AskId }
  /** A person asks back about a question. The answer goes into the question's thread. */
  | { readonly kind: "thread"; readonly question: QuestionId };

/** What a run does in response to one trigger. Its id is the `seq` of the event that opened it. */
export interface Turn {
  readonly id: number;
  readonly cause: Cause;
  /** Length of the chain of assignments that led here. */
  readonly depth: number;
  /** Steps that have ended. */
  readonly steps: number;
  /** Steps since a person last wrote or resumed. */
  readonly unattended: number;
  /** The last event it was shown, and the newest event meant for it. It has something to read if `newestSeq > seen`. */
  readonly seen: number;
  readonly newestSeq: number;
  /** Messages it has not been shown yet. */
  readonly queue: readonly number[];
  /** The last message that it must read at once, whatever else is open; 0 if there is none. */
  readonly urgentSeq: number;
  /** The turn that the same message addressed before this one. This turn begins when that one has ended or waits. */
  readonly followsTurn: { readonly agent: AgentId; readonly turn: number } | undefined;
  /** The event of its last step. */
  readonly stepSeq: number;
  /** Calls of its last step that have no result yet, in order. */
  readonly calls: readonly Call[];
  /** Asks it waits for, and asks that only wake it. */
  readonly asks: readonly AskId[];
  readonly wakingAsks: readonly AskId[];
  /** Delegations that have been answered. */
  readonly completed: readonly Completed[];
  /** Open questions it waits for. */
  readonly questions: readonly QuestionId[];
  /** How often the same call gave the same result. */
  readonly repeats: Readonly<Record<string, number>>;
  readonly toldEmpty: boolean;
  /** Codes of the notes it was given about its output, each given once. */
  readonly notesGiven: readonly string[];
  /** The situation it was last told, as `situationMark` describes it. */
  readonly stands: string;
  /** How often its next step was retried after a crash. `alone`: the last retry ran with nothing else in flight. */
  readonly attempts: number;
  readonly alone: boolean;
  /** What its agent was defined as in its last step, and as people were told since. */
  readonly definition?: Definition | undefined;
  readonly toldDefinition?: Definition | undefined;
}

export interface Completed {
  readonly call: CallId | undefined;
  readonly dialog: DialogId;
  readonly recipient: AgentId;
  /** The event that holds the answer. */
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
  /** It runs on a layer: the project is unchanged until the layer is applied. */
  readonly isStaged?: boolean | undefined;
  /** It has run on its layer, which is not applied yet: the first paths it would change, and the number of further ones. */
  readonly ran?: { readonly paths: readonly string[]; readonly more: number } | undefined;
  /** The question that must be answered before it may run or be decided. */
  readonly held: QuestionId | undefined;
  /** How much of a limit is reserved for it until it is decided. */
  readonly reserved?: number | undefined;
  /** A person approved it with a changed input. */
  readonly isChanged: boolean;
  /** The file it reads or writes. */
  readonly file: string | undefined;
  /** Distinguishes calls without storing their input. */
  readonly hash: string;
}

export interface TurnRef {
  readonly dialog: DialogId;
  readonly agent: AgentId;
  readonly turn: number;
}

/** A request from a turn to another agent. The tree drops it once it is answered. */
export interface Ask {
  readonly id: AskId;
  readonly kind: AskKind;
  readonly call: CallId | undefined;
  readonly from: TurnRef;
  /** The dialog and the agent that serve it. */
  readonly to: DialogId;
  readonly recipient: AgentId;
  /** The turn that serves it; absent while it is queued for a session. */
  readonly turn: number | undefined;
  readonly about: AskId | undefined;
  readonly wait: "each" | "all" | undefined;
  readonly depth: number;
  readonly headline: string;
  readonly deadline: number | undefined;
  readonly askedAt: number;
  /** The event that holds its text. */
  readonly seq: number;
}

/** Something a person must decide. An open question is kept in full; of a closed one, only how it ended. */
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
  /** The earlier question whose answer it reused. */
  readonly reuses: QuestionId | undefined;
  /** The question in another tree that closes this one with it. */
  readonly shares: QuestionId | undefined;
  readonly given: { readonly id?: string | undefined; readonly createdAt?: string | undefined } | undefined;
  readonly tool: string | undefined;
  readonly classes: readonly ActClass[];
  /** The versions of the files it was shown with. */
  readonly basis: Readonly<Record<string, string>> | undefined;
  /** Equal for questions with the same words. */
  readonly hash: string;
  /** Set while a tool's own form is open. The call waits for the answer and is not ended by it. */
  readonly fields: readonly FormField[] | undefined;
  readonly askedAt: number;
  readonly course: number;
  readonly seq: number;
  readonly revision: number;
  /** Other calls and turns that wait for it. */
  readonly alsoHolds: readonly (TurnRef & { readonly call: CallId | undefined; readonly needs: number | undefined })[];
  readonly thread: readonly { readonly by: string; readonly content: string; readonly at: number }[];
  readonly status: QuestionStatus;
  readonly closed:
    | {
        readonly content: string;
        readonly choice: readonly string[] | undefined;
        /** Only for approvals. */
        readonly verdict: ApprovalVerdict | undefined;
        readonly byGrant: string | undefined;
        readonly by: string | undefined;
        /** The event has the signature. */
        readonly isSigned?: true;
        readonly at: number;
        readonly seq: number;
      }
    | undefined;
}

/** What the tree has used. */
export interface Spent {
  readonly tokens: number;
  readonly cost: number;
  readonly ms: number;
}

/** The reply to a command, kept so that a repetition gets the same one. */
export interface Receipt {
  readonly seq: number;
  readonly hash: string;
}

/** A main dialog and all its side dialogs: a pure fold over the tree's events, without message bodies. */
export interface Tree {
  readonly rootId: RootId;
  readonly seq: number;
  readonly at: number;
  /** Everything before the event `seq` is a copy of that tree up to its event `at`. `holds`: calls with effects wait for approval. */
  readonly copied?: {
    readonly as: "fork" | "import";
    readonly from: RootId;
    readonly at: number;
    readonly seq: number;
    readonly holds?: boolean;
  };
  /** The person who started it. */
  readonly owner: string | undefined;
  readonly dialogs: PersistentMap<Dialog>;
  readonly runs: PersistentMap<Run>;
  /** Runs with a step to take or a call to run. Stored, so that nothing has to walk all dialogs to find them. */
  readonly ready: PersistentMap<true>;
  /** Open asks. */
  readonly asks: PersistentMap<Ask>;
  readonly questions: PersistentMap<Question>;
  /** Ids of open questions. They are few, even if the tree has had many. */
  readonly openQuestions: PersistentMap<true>;
  /** When asks and open questions expire. */
  readonly deadlines: PersistentMap<number>;
  /** `agentId!sessionSlug` → the dialog that holds that session. */
  readonly registry: PersistentMap<Session>;
  readonly receipts: PersistentMap<Receipt>;
  readonly spent: Spent;
  /** The task this tree works on, if any. */
  readonly task: TreeTask | undefined;
  /** Document changes that are recorded but may not be on disk yet. */
  readonly unwritten: readonly Unwritten[];
  /** Commands that can be undone or have been, oldest first. */
  readonly applied: readonly AppliedCall[];
  /** Calls whose outcome nobody knows, oldest first. */
  readonly unsettled: readonly Unsettled[];
  /** What people have added to each limit. */
  readonly raised: Readonly<Partial<Record<LimitName, number>>>;
  /** Open questions about limits of the whole tree. While there are any, no run thinks. */
  readonly limitQuestions: readonly QuestionId[];
}

/** What a tree knows about its task. */
export interface TreeTask {
  readonly id: TaskId;
  readonly kind: TaskKind;
  readonly key: string | undefined;
  /** The turn that is the task's run, while it is open. */
  readonly turn: number | undefined;
  /** The result that the current run last reported. */
  readonly said: "success" | "failed" | undefined;
  /** The result of the last finished run. */
  readonly report: { readonly status: "success" | "failed"; readonly summary: string; readonly asks: boolean } | undefined;
  /** The last version of its `config.json` that was not written by a person. */
  readonly config: string | undefined;
  /** Consecutive runs that failed without asking a question. */
  readonly failures: number;
  /** Questions from its runs that closed since the task was last taken, with the course of each. */
  readonly answered: readonly { readonly question: string; readonly answer: string; readonly course: number }[];
}

export interface Unwritten {
  readonly path: string;
  readonly from: string;
  readonly to: string;
  readonly dialog: DialogId;
  /** The call whose input holds the text; without a call, the event holds it. */
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
  unsettled: [],
  raised: {},
  limitQuestions: [],
});

export const receiptKey = (by: string, msgId: string): string => `${by}\n${msgId}`;
export const sessionKey = (agent: AgentId, slug: string): string => `${agent}!${slug}`;

export const dialogOf = (tree: Tree, id: DialogId): Dialog | undefined => tree.dialogs.get(id);
export const mainDialog = (tree: Tree): Dialog | undefined => tree.dialogs.get(tree.rootId);
export const runOf = (tree: Tree, dialog: DialogId, agent: AgentId): Run | undefined => tree.runs.get(runKey(dialog, agent));
export const turnOf = (run: Run | undefined, id: number): Turn | undefined => run?.turns.find((turn) => turn.id === id);
export const turnAt = (tree: Tree, ref: TurnRef): Turn | undefined => turnOf(runOf(tree, ref.dialog, ref.agent), ref.turn);
/** False for turns that only wait for the question: those did not ask it. */
export const isAskedBy = (question: Question, ref: TurnRef): boolean =>
  question.turn === ref.turn && question.dialog === ref.dialog && question.agent === ref.agent;
export const askOf = (tree: Tree, id: AskId): Ask | undefined => tree.asks.get(id);

/** True if the turn waits for something or may still be told of something. */
export const hasOpen = (turn: Turn): boolean => turn.calls.length + turn.asks.length + turn.wakingAsks.length + turn.questions.length > 0;

/** Messages may join these turns. A turn that answers an ask-back takes none. */
export const isJoinable = (turn: Turn): boolean => turn.cause.kind === "message" || turn.cause.kind === "assignment";

/** Its own agent is working here or owes somebody an answer. */
export const isBusy = (tree: Tree, dialog: Dialog): boolean => (runOf(tree, dialog.id, dialog.agent)?.turns.length ?? 0) > 0;

/** All turns of a dialog, each with its agent. */
export const turnsOf = (tree: Tree, dialog: Dialog): readonly (TurnRef & { readonly it: Turn })[] =>
  dialog.agents.flatMap((agent) =>
    (runOf(tree, dialog.id, agent)?.turns ?? []).map((it) => ({ dialog: dialog.id, agent, turn: it.id, it })),
  );
