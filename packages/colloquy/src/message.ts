import type { DefinedAgent } from "./define-agent.ts";
import type { Signed } from "./signed.ts";

export interface NewDialog<Agent extends string | DefinedAgent = string | DefinedAgent> extends Signed {
  readonly content: string;
  /** Who is responsible; absent: whom the message addresses first, else the team's default. */
  readonly agent?: Agent;
  /** Who is addressed, in this order, by id or name; absent: whom `@name` at the text's start names, else the responsible one; none: history only. */
  readonly mentions?: readonly string[];
  readonly title?: string;
  readonly taskDocPath?: string;
  /** PNG, JPEG, GIF or WebP, as they are in their files. */
  readonly images?: readonly Uint8Array[];
  /** A session at the model's provider, to be gone on with. */
  readonly sessionId?: string;
}

export interface Message extends Signed {
  readonly content: string;
  /** Who is addressed, in this order, by id or name; absent: whom `@name` at the text's start names, else the dialog's own agent; none: history only. */
  readonly mentions?: readonly string[];
  /** A turn that waits reads it at once, and waits on. */
  readonly now?: boolean;
  /** As `now`, and the model call or tool that is under way is broken off first. */
  readonly interrupt?: boolean;
  /** PNG, JPEG, GIF or WebP, as they are in their files. */
  readonly images?: readonly Uint8Array[];
  readonly sessionId?: string;
}
