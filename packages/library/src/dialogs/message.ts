import type { DefinedAgent } from "../team/define-agent.ts";
import type { Signed } from "./signed.ts";

export interface NewDialog<Agent extends string | DefinedAgent = string | DefinedAgent> extends Signed {
  readonly content: string;
  /** Who is responsible; absent: whom the message addresses first, else the team's default. */
  readonly agent?: Agent | undefined;
  /** Who is addressed, in this order, by id or name; absent: whom `@name` at the text's start names, else the responsible one; none: history only. */
  readonly mentions?: readonly string[] | undefined;
  readonly title?: string | undefined;
  readonly taskDocPath?: string | undefined;
  /** PNG, JPEG, GIF or WebP, as they are in their files. */
  readonly images?: readonly Uint8Array[] | undefined;
  /** A session at the model's provider, to be gone on with. */
  readonly sessionId?: string | undefined;
}

export interface Message extends Signed {
  readonly content: string;
  /** Who is addressed, in this order, by id or name; absent: whom `@name` at the text's start names, else the dialog's own agent; none: history only. */
  readonly mentions?: readonly string[] | undefined;
  /** A turn that waits reads it at once, and waits on. */
  readonly now?: boolean | undefined;
  /** As `now`, and the model call or tool that is under way is broken off first. */
  readonly interrupt?: boolean | undefined;
  /** PNG, JPEG, GIF or WebP, as they are in their files. */
  readonly images?: readonly Uint8Array[] | undefined;
  readonly sessionId?: string | undefined;
}
