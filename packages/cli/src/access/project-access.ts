import type {
  AnswerInput,
  ApproveInput,
  DialogView,
  Entry,
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
  UsageBy,
  UsageRow,
  DialogReference,
} from "@colloquy/library";
import type { SearchHit, Notification, TaskChange } from "@colloquy/schema";

/** A main dialog in a list. `interrupted`: there is work to do, and nobody does it. */
export interface DialogEntry extends Omit<Entry, "state"> {
  readonly state: DialogView["state"];
  /** Why its log cannot be read, where a server says so. */
  readonly damaged?: string | undefined;
}

/** From where on a tree is watched. */
export interface Since {
  readonly rootId: RootId;
  readonly seq: number;
}

/** Somebody listens. When it has ended, everything that there was has been told. */
export interface Listening {
  end(): Promise<void>;
}

/** What was done, and where it stands; `ack`: what a busy agent lets one know. */
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
  /** Until nothing is left to do that does not wait for a person. */
  run(): Promise<void>;
}

/** What commands need of a project. They do not know whether this process holds it or a server does. */
export interface ProjectAccess {
  /** Where it is kept; undefined when that is not on this machine. */
  readonly dir: string | undefined;
  readonly name: string;
  readonly team: readonly { readonly id: string; readonly name: string }[];
  /** What a person should know of the settings before they cost anything. */
  readonly notices: readonly string[];
  /** Somebody goes on with the work when this command has left. */
  readonly isServed: boolean;
  /** Where its page is, when a server holds it. */
  readonly url?: string;

  readonly tasks: TaskAccess;
  createDialog(
    given: Omit<NewDialog, "by" | "msgId" | "agent"> & { readonly agent?: string },
  ): Promise<{ readonly id: RootId; readonly seq: number }>;
  send(where: DialogReference, message: Message): Promise<Receipt>;
  /** What busy agents let one know of a message, by its `seq`. */
  acknowledgements(where: DialogReference, message: number): Promise<readonly string[]>;
  stop(where: DialogReference, how?: { readonly tree?: boolean }): Promise<Receipt>;
  resume(where: DialogReference): Promise<Receipt>;
  done(where: DialogReference): Promise<Receipt>;
  archive(where: DialogReference): Promise<Receipt>;
  dead(where: DialogReference): Promise<Receipt>;
  /** Puts back what a command changed. `call`: its id, or the last digits of it. */
  undo(call: string): Promise<Omit<UndoReceipt, "dialog">>;
  clearMind(where: DialogReference, how?: { readonly reminder?: string }): Promise<Receipt>;
  changeMind(where: DialogReference, selector: "goals" | "constraints" | "progress", content: string): Promise<Receipt>;
  phase(where: DialogReference, phase: Phase, how?: { readonly summary?: string; readonly why?: string }): Promise<Receipt>;
  taskdoc(where: DialogReference): ReturnType<Project["dialogs"]["taskdoc"]>;
  remind(where: DialogReference, content: string): Promise<Receipt>;
  /** Without `content` it is taken away. */
  changeReminder(where: DialogReference, reminder: number, content: string | undefined): Promise<Receipt>;

  questions(which?: { readonly all?: boolean }): Promise<readonly QuestionView[]>;
  question(id: QuestionId): Promise<QuestionView>;
  answer(id: QuestionId, input: AnswerInput): Promise<Receipt>;
  dismiss(id: QuestionId, how?: { readonly why?: string }): Promise<Receipt>;
  askBack(id: QuestionId, content: string): Promise<Receipt>;
  approve(id: QuestionId, how?: ApproveInput): Promise<Receipt>;
  deny(id: QuestionId, how?: { readonly why?: string; readonly shown?: string }): Promise<Receipt>;
  /** What agents did without asking; those that nobody has put away. */
  openNotices(): Promise<readonly Notification[]>;
  resolveNotice(id: string): Promise<void>;
  grants(): Promise<readonly ProjectGrant[]>;
  revokeGrant(id: string): Promise<void>;
  /** While `limits.costPerDay` is spent. */
  spentDay(): Promise<ReturnType<Project["spentDay"]>>;

  /** Newest first. */
  dialogs(query?: { readonly status?: Entry["status"] }): Promise<readonly DialogEntry[]>;
  entry(rootId: RootId): Promise<DialogEntry | undefined>;
  /** Why the log of one in the list cannot be read; undefined when it can, as far as one sees without reading it. */
  damageOf(entry: DialogEntry): string | undefined;
  view(where: DialogReference): Promise<DialogView>;
  tree(rootId: RootId): Promise<TreeNode>;
  locate(digits: string, limit: number): Promise<readonly Located[]>;
  lastWords(rootId: RootId): Promise<string>;
  search(text: string, limit: number): Promise<readonly SearchHit[]>;
  usage(by: UsageBy): Promise<{ readonly rows: readonly UsageRow[]; readonly unread: readonly RootId[] }>;

  events(rootId: RootId, after?: number): Promise<readonly Line<TreeEvent>[]>;
  /** From `after` on, and then as they come. */
  follow(rootId: RootId, after: number, signal: AbortSignal): AsyncGenerator<Line<TreeEvent>, void, undefined>;
  /** What is said right now in the trees that are listened to. Returns the way to stop. */
  onLive(listener: (event: LiveEvent) => void): () => void;
  /** Listens to a tree, after a `seq` or from now on; what is recorded comes in between what is said. */
  listen(rootId: RootId, after?: number, onLine?: (line: Line<TreeEvent>) => void): Listening;
  /** Whatever was left in the middle of the tree goes on. */
  takeUp(rootId: RootId): Promise<void>;
  /** Resolves when no turn of the tree may step and none is in flight. */
  quiet(rootId: RootId): Promise<void>;
}
