import type { NostrEvent } from "@colloquy/schema";
import type { Counts, Policy } from "./judge.ts";

/** A relay, and the second up to which it was read. */
export interface RelayPlace {
  readonly url: string;
  readonly cursor: number | undefined;
}

/** What the thread is started with. */
export interface ThreadData {
  readonly relays: readonly RelayPlace[];
  readonly policy: Policy;
  readonly authKey: string | undefined;
}

/** Events that are genuine. Once they are handled, everything up to `readTo` of that relay was. */
export interface Batch {
  readonly events: readonly NostrEvent[];
  readonly relay: string;
  readonly readTo?: number;
}

export type ToThread =
  | { readonly type: "publish"; readonly relay: string; readonly id: string; readonly text: string }
  /** To all relays, if they are connected. */
  | { readonly type: "stream"; readonly text: string }
  /** The batch is durable here: the next one may come. */
  | { readonly type: "handled" }
  | { readonly type: "counts" }
  | { readonly type: "close" };

export type FromThread =
  | { readonly type: "batch"; readonly batch: Batch }
  | { readonly type: "accepted"; readonly relay: string; readonly id: string }
  | { readonly type: "refused"; readonly relay: string; readonly id: string; readonly why: string }
  | { readonly type: "state"; readonly relay: string; readonly isConnected: boolean; readonly why: string | undefined }
  | { readonly type: "counts"; readonly counts: Counts };
