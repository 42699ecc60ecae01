import type { DefinedAgent } from "../team/define-agent.ts";
import type { Signed } from "./signed.ts";

export interface NewDialog<Agent extends string | DefinedAgent = string | DefinedAgent> extends Signed {
  readonly content: string;
  /** The new dialog's id, if you choose it: 32 lower-case hex digits, of which the first 12 are the milliseconds. One that exists is refused. */
  readonly id?: string | undefined;
  /** The responsible agent; default: the first one that the message addresses, else the team's default. */
  readonly agent?: Agent | undefined;
  /**
   * The addressed agents in order, by id or name; default: those that `@name` at the start of the text names, else the responsible one;
   * empty: history only.
   */
  readonly mentions?: readonly string[] | undefined;
  readonly title?: string | undefined;
  readonly taskDocPath?: string | undefined;
  /** PNG, JPEG, GIF or WebP file contents. */
  readonly images?: readonly Uint8Array[] | undefined;
  /** A session at the model's provider to continue. */
  readonly sessionId?: string | undefined;
  /** A `traceparent`: the span that led to it. The dialog's trace is linked to it. */
  readonly trace?: string | undefined;
}

export interface Message extends Signed {
  readonly content: string;
  /**
   * The addressed agents in order, by id or name; default: those that `@name` at the start of the text names, else the dialog's own
   * agent; empty: history only.
   */
  readonly mentions?: readonly string[] | undefined;
  /** A waiting turn reads it at once and keeps waiting. */
  readonly now?: boolean | undefined;
  /** Like `now`, but first aborts the running model call or tool. */
  readonly interrupt?: boolean | undefined;
  /** PNG, JPEG, GIF or WebP file contents. */
  readonly images?: readonly Uint8Array[] | undefined;
  readonly sessionId?: string | undefined;
  /** A `traceparent`: the span that led to it. The turn is linked to it. */
  readonly trace?: string | undefined;
}
