import type { Signed } from "./signed.ts";

export interface AnswerInput extends Signed {
  readonly content?: string;
  /** Labels, or numbers from 0. */
  readonly choice?: readonly (string | number)[];
  /** The version that the person saw: another one is refused. */
  readonly shown?: string;
}

export interface ApproveInput extends Signed {
  readonly shown?: string;
  readonly scope?: "once" | "dialog" | "task" | "project";
  readonly pattern?: string;
  readonly until?: number;
  /** With another input than the agent's. */
  readonly arguments?: unknown;
}

export interface DenyInput extends Signed {
  readonly why?: string;
  readonly shown?: string;
}
