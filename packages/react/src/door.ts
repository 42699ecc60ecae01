import type { ServerPacket, WireErrorCode } from "@colloquy/schema";

/** What the page may say of its connection. `since` is when that began, in milliseconds. */
export interface Connection {
  readonly state: "connecting" | "live" | "lost" | "refused";
  readonly since: number;
  /** Commands that are kept here until the server can be reached. */
  readonly unsent: number;
  readonly user: string | undefined;
  readonly role: string | undefined;
}

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** How pages reach a server: they read, they change, and they watch. */
export interface Door {
  connection(): Connection;
  onConnection(listen: () => void): () => void;
  /** Below `/api`. Throws `Refusal`. A change that cannot be delivered now is delivered when the server is back. */
  read<Answer>(path: string): Promise<Answer>;
  change<Answer>(method: Exclude<Method, "GET">, path: string, body: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** What concerns the whole project. `resync`: too much was missed, read everything again. */
  watchProject(projectId: string, hear: (packet: ServerPacket | "resync") => void): () => void;
  /** What is recorded in a tree after a `seq`, and what is said there right now. */
  watchTree(projectId: string, rootId: string, after: number, hear: (packet: ServerPacket) => void): () => void;
  /** Told to the others, never kept. */
  present(projectId: string, questionId: string | undefined, isWriting: boolean): void;
}

/** A "no" of the server, with a code that a page can switch on. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: WireErrorCode | "unreachable";
  /** What became of the question, where one was no longer open. */
  readonly question: unknown;

  constructor(code: Refusal["code"], message: string, question?: unknown) {
    super(message);
    this.code = code;
    this.question = question;
  }
}
