import type { Line, LiveEvent, NostrEvent, Phase, ProjectEvent, QuestionId, QuestionView, RootId, StreamId } from "@colloquy/schema";

export type Signed = Extract<ProjectEvent, { type: "nostr.signed" }>;

/** A durable position. `undefined` from `claim`: another process has it. */
interface Cursor {
  claim(): Promise<{ readonly pos: number | undefined } | undefined>;
  save(pos: number): Promise<boolean>;
  release(): Promise<void>;
}

export interface Commit {
  readonly pos: number;
  readonly lines: readonly { readonly stream: StreamId; readonly line: Line }[];
}

/** A message, under its author's key. */
export interface Message {
  readonly content: string;
  /** The addressed agents; none: it is only added to the history. */
  readonly mentions: readonly string[];
  readonly by: string;
  readonly msgId: string;
}

/** A person's decision, with the event that proves it. */
interface Decided {
  readonly by: string;
  readonly msgId: string;
  /** The version of the question that was published. */
  readonly shown: string;
  readonly proof: NostrEvent;
}

/** A project as Nostr reaches it. Refusals are thrown as `Refused`. */
export interface NostrProject {
  /** The folder's name. */
  readonly name: string;
  readonly language: "en" | "zh";
  members(): readonly { readonly id: string; readonly name: string }[];
  defaultAgent(): string | undefined;
  has(rootId: RootId): boolean;
  create(rootId: RootId, agentId: string, message: Message): Promise<void>;
  send(rootId: RootId, message: Message): Promise<void>;
  setPhase(rootId: RootId, given: { readonly phase: Phase; readonly by: string; readonly msgId: string }): Promise<void>;
  question(id: QuestionId): Promise<QuestionView>;
  answer(id: QuestionId, given: Decided & { readonly content?: string; readonly choice?: readonly string[] }): Promise<void>;
  approve(id: QuestionId, given: Decided): Promise<void>;
  deny(id: QuestionId, given: Decided & { readonly why?: string }): Promise<void>;
  /** Lines of a tree, or of the project's own stream. */
  lines(stream: StreamId, after: number, limit: number): Promise<readonly Line[]>;
  /** The last commit's number. */
  head(): number;
  cursor(name: string): Cursor;
  changedSince(pos: number): AsyncIterable<RootId>;
  registerSigned(signed: Signed): Promise<void>;
  /** Every commit, in order, once it is durable. Returns an unsubscribe function. */
  onCommit(listener: (commit: Commit) => void): () => void;
  onLive(listener: (event: LiveEvent) => void): () => void;
}

/** Secret keys, in hex. */
export interface Keys {
  readonly agents: ReadonlyMap<string, string>;
  readonly project: string | undefined;
}
