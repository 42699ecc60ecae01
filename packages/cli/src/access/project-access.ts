import type {
  AnswerInput,
  ApproveInput,
  AskedPeople,
  AskInput,
  Comparison,
  DialogView,
  EffectPage,
  EffectQuery,
  Entry,
  ForkInput,
  BackupQuery,
  ImportedDialog,
  Line,
  LiveEvent,
  Located,
  NewDialog,
  Phase,
  Project,
  ProjectGrant,
  QuestionId,
  QuestionView,
  RootId,
  TaskAutonomy,
  TaskView,
  TreeEvent,
  TreeNode,
  UndoReceipt,
  UnsettledInTree,
  UsageBy,
  UsageRow,
  DialogReference,
} from "@colloquy/library";
import type { SearchHit, Notification, TaskChange } from "@colloquy/schema";

/** A main dialog in a list. `interrupted`: work is pending, and nobody drives it. */
export interface DialogEntry extends Omit<Entry, "state"> {
  readonly state: DialogView["state"];
  /** Why its log can't be read, if the server says so. */
  readonly damaged?: string | undefined;
}

/** The position from which a tree is watched. */
export interface Since {
  readonly rootId: RootId;
  readonly seq: number;
}

/** A subscription. When it has ended, everything has been delivered. */
export interface Listening {
  end(): Promise<void>;
}

/** What was done, and its position; `ack`: a busy agent's acknowledgement. */
export interface Receipt {
  readonly seq: number;
  readonly ack?: string | undefined;
}

type Message = Omit<Exclude<Parameters<Project["dialogs"]["send"]>[1], string>, "by" | "msgId">;

export interface TaskAccess {
  list(query?: { readonly status?: TaskView["status"]; readonly kind?: TaskView["kind"] }): Promise<readonly TaskView[]>;
  ready(): Promise<readonly TaskView[]>;
  get(id: string): Promise<TaskView>;
  autonomy(id: string): Promise<TaskAutonomy>;
  create(given: Parameters<Project["tasks"]["create"]>[0]): Promise<TaskView>;
  update(id: string, change: TaskChange): Promise<TaskView>;
  /** Until all remaining work waits for a person. */
  run(): Promise<void>;
}

/** What commands need from a project, whether this process holds it or a server does. */
export interface ProjectAccess {
  /** Its folder; undefined if it isn't on this machine. */
  readonly dir: string | undefined;
  readonly name: string;
  readonly team: readonly { readonly id: string; readonly name: string }[];
  /** Warnings about the settings, shown before anything costs money. */
  readonly notices: readonly string[];
  /** True if a server continues the work after this command ends. */
  readonly isServed: boolean;
  /** The address of its page, if a server holds it. */
  readonly url?: string;

  readonly tasks: TaskAccess;
  createDialog(
    given: Omit<NewDialog, "by" | "msgId" | "agent"> & { readonly agent?: string },
  ): Promise<{ readonly id: RootId; readonly seq: number }>;
  send(where: DialogReference, message: Message): Promise<Receipt>;
  /** Acknowledgements of busy agents for a message, by its `seq`. */
  acknowledgements(where: DialogReference, message: number): Promise<readonly string[]>;
  stop(where: DialogReference, how?: { readonly tree?: boolean }): Promise<Receipt>;
  resume(where: DialogReference): Promise<Receipt>;
  done(where: DialogReference): Promise<Receipt>;
  archive(where: DialogReference): Promise<Receipt>;
  delete(where: DialogReference): Promise<void>;
  dead(where: DialogReference): Promise<Receipt>;
  /** Copies a dialog's tree; with `answer`, as a what-if. */
  fork(where: DialogReference, how: Pick<ForkInput, "at" | "answer">): Promise<RootId>;
  compare(one: DialogReference, other: DialogReference): Promise<Comparison>;
  /** A file of a dialog's tree, or of all dialogs. */
  export(where: DialogReference | undefined): Promise<AsyncIterable<Uint8Array>>;
  /** A part of a backup. */
  backup(query: BackupQuery): Promise<AsyncIterable<Uint8Array>>;
  /** `path`: of a file on this machine. */
  import(path: string): Promise<readonly ImportedDialog[]>;
  /** Undoes a command's changes. `call`: its id, or its last digits. */
  undo(call: string): Promise<Omit<UndoReceipt, "dialog">>;
  clearMind(where: DialogReference, how?: { readonly reminder?: string }): Promise<Receipt>;
  changeMind(where: DialogReference, selector: "goals" | "constraints" | "progress", content: string): Promise<Receipt>;
  phase(where: DialogReference, phase: Phase, how?: { readonly summary?: string; readonly why?: string }): Promise<Receipt>;
  taskdoc(where: DialogReference): ReturnType<Project["dialogs"]["taskdoc"]>;
  remind(where: DialogReference, content: string): Promise<Receipt>;
  /** Without `content` it is removed. */
  changeReminder(where: DialogReference, reminder: number, content: string | undefined): Promise<Receipt>;

  questions(which?: { readonly all?: boolean }): Promise<readonly QuestionView[]>;
  question(id: QuestionId): Promise<QuestionView>;
  ask(question: AskInput): Promise<AskedPeople & { readonly url?: string | undefined }>;
  answer(id: QuestionId, input: AnswerInput): Promise<Receipt>;
  dismiss(id: QuestionId, how?: { readonly why?: string }): Promise<Receipt>;
  askBack(id: QuestionId, content: string): Promise<Receipt>;
  approve(id: QuestionId, how?: ApproveInput): Promise<Receipt>;
  deny(id: QuestionId, how?: { readonly why?: string; readonly shown?: string }): Promise<Receipt>;
  /** Undismissed notices of what agents did without asking. */
  openNotices(): Promise<readonly Notification[]>;
  dismissNotice(id: string): Promise<void>;
  /** Rows of the ledger, newest first. */
  effects(query: Omit<EffectQuery, "whole">): Promise<Omit<EffectPage, "isComplete">>;
  /** Calls whose outcome nobody knows, oldest first. */
  unsettled(): Promise<readonly UnsettledInTree[]>;
  /** Says how a call with an unknown outcome ended. `call`: its id, or its last digits. */
  settle(call: string, as: "done" | "failed", note: string | undefined): Promise<Receipt>;
  grants(): Promise<readonly ProjectGrant[]>;
  revokeGrant(id: string): Promise<void>;
  /** Set while `limits.costPerDay` is spent. */
  spentDay(): Promise<ReturnType<Project["spentDay"]>>;

  /** Newest first. */
  dialogs(query?: { readonly status?: Entry["status"] }): Promise<readonly DialogEntry[]>;
  entry(rootId: RootId): Promise<DialogEntry | undefined>;
  /** Why the log of a listed dialog can't be read; undefined if it can, as far as known without reading it. */
  damageOf(entry: DialogEntry): string | undefined;
  view(where: DialogReference): Promise<DialogView>;
  tree(rootId: RootId): Promise<TreeNode>;
  locate(digits: string, limit: number): Promise<readonly Located[]>;
  lastWords(rootId: RootId): Promise<string>;
  search(text: string, limit: number): Promise<readonly SearchHit[]>;
  usage(by: UsageBy): Promise<{ readonly rows: readonly UsageRow[]; readonly unread: readonly RootId[] }>;

  events(rootId: RootId, after?: number): Promise<readonly Line<TreeEvent>[]>;
  /** From `after` on, then live. */
  follow(rootId: RootId, after: number, signal: AbortSignal): AsyncGenerator<Line<TreeEvent>, void, undefined>;
  /** Live text of the watched trees. Returns an unsubscribe function. */
  onLive(listener: (event: LiveEvent) => void): () => void;
  /** Watches a tree, after a `seq` or from now on; recorded events arrive between live text. */
  listen(rootId: RootId, after?: number, onLine?: (line: Line<TreeEvent>) => void): Listening;
  /** Resumes unfinished work in the tree. */
  takeUp(rootId: RootId): Promise<void>;
  /** Resolves when no turn of the tree may step and none is in flight. */
  quiet(rootId: RootId): Promise<void>;
  /** Processes that share the project in a database. */
  nodes(): ReturnType<Project["nodes"]>;
}
