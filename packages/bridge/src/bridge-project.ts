import type { DialogView, LiveEvent, Line, QuestionView, RootId, TreeEvent } from "@colloquy/schema";

interface Work {
  readonly content: string;
  /** Repeating it has no further effect. */
  readonly msgId?: string | undefined;
  readonly images?: readonly Uint8Array[] | undefined;
  /** The agents that it addresses, if not the dialog's own. */
  readonly mentions?: readonly string[] | undefined;
  /** A `traceparent`: the span that led to it. */
  readonly trace?: string | undefined;
}

interface NewWork extends Work {
  readonly agentId: string;
  readonly title?: string | undefined;
  /** The dialog's id, if the caller chooses it. */
  readonly id?: string | undefined;
}

export interface TreeWatcher {
  readonly commit: (line: Line<TreeEvent>) => void;
  readonly live: (event: LiveEvent) => void;
  /** The connection was lost: live output may begin again. */
  readonly dropped?: () => void;
}

/** A main dialog and the `msgId` of its first message. */
export interface Creation {
  readonly rootId: RootId;
  readonly msgId: string;
}

/** A project as other protocols reach it, for one caller: everything is done under the caller's name. Refusals are thrown as `Refused`. */
export interface BridgeProject {
  readonly name: string;
  readonly language: "en" | "zh";
  team(): readonly { readonly id: string; readonly name: string }[];
  /** The agent that new dialogs go to. */
  readonly defaultAgent: string | undefined;
  create(given: NewWork): Promise<{ rootId: RootId; seq: number }>;
  /** `now`: an agent that waits reads it at once and keeps waiting. */
  send(rootId: RootId, given: Work & { readonly now?: boolean }): Promise<{ readonly seq: number }>;
  /** Main dialogs that this caller created with a `msgId` that begins like this, newest first. */
  createdAs(prefix: string): Promise<readonly Creation[]>;
  /** A main dialog by its id. */
  view(rootId: string): Promise<DialogView>;
  events(rootId: RootId, after?: number): Promise<readonly Line<TreeEvent>[]>;
  /** The open questions of a tree, oldest first. */
  questions(rootId: RootId): Promise<readonly QuestionView[]>;
  question(id: string): Promise<QuestionView>;
  /** Decisions of the caller, who is a person with the right to make them. */
  answer(id: string, given: AnswerGiven): Promise<{ readonly seq: number }>;
  approve(id: string, given: Verdict): Promise<{ readonly seq: number }>;
  deny(id: string, given: Verdict & { readonly why?: string | undefined }): Promise<{ readonly seq: number }>;
  dismiss(id: string, given: { readonly msgId?: string | undefined }): Promise<{ readonly seq: number }>;
  /** Everything after `after`, old and new. Returns an unsubscribe function. */
  watch(rootId: RootId, after: number, watcher: TreeWatcher): () => void;
  /** Resolves when the tree is idle, or when the signal comes. */
  quiet(rootId: RootId, signal: AbortSignal): Promise<void>;
  /** Stops the whole tree until it is resumed. */
  stop(rootId: RootId): Promise<void>;
  resume(rootId: RootId): Promise<void>;
  /** The page of a question, if there is one. */
  pageOf(questionId: string): string | undefined;
}

/** `shown`: the version that the person saw. */
interface Verdict {
  readonly shown: string;
  readonly msgId?: string | undefined;
}

interface AnswerGiven extends Verdict {
  readonly choice?: readonly (string | number)[] | undefined;
  readonly content?: string | undefined;
}
