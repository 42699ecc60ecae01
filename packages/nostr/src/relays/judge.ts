import type { NostrEvent } from "@colloquy/schema";
import { readEvent } from "./read-event.ts";
import type { Signer } from "../signer.ts";

/** Why an event is refused. */
export const REFUSALS = ["oversized", "malformed", "foreign", "late", "repeated", "forged"] as const;
export type RefusalReason = (typeof REFUSALS)[number];
export type Counts = Readonly<Record<RefusalReason | "accepted", number>>;

export interface Policy {
  readonly kinds: readonly number[];
  /** Whose events are accepted, in hex. */
  readonly authors: readonly string[];
}

/** Older events are refused. A sender may have been offline for weeks. */
export const MAX_AGE_S = 60 * 24 * 60 * 60;
/** Clocks differ. */
const MAX_AHEAD_S = 15 * 60;
/** So many events are remembered, so that each is verified once, however many relays pass it on. */
const MAX_REMEMBERED = 200_000;

/** Decides which events are passed on. The cheap checks come first, and only a genuine event is remembered. */
export class Judge {
  readonly #signer: Pick<Signer, "isGenuine">;
  readonly #policy: { readonly kinds: ReadonlySet<number>; readonly authors: ReadonlySet<string> };
  readonly #onRefusal: (reason: RefusalReason, id: string | undefined) => void;
  readonly #seen = new Set<string>();
  readonly #counts: Record<RefusalReason | "accepted", number> = {
    accepted: 0,
    oversized: 0,
    malformed: 0,
    foreign: 0,
    late: 0,
    repeated: 0,
    forged: 0,
  };

  constructor(
    signer: Pick<Signer, "isGenuine">,
    policy: Policy,
    onRefusal: (reason: RefusalReason, id: string | undefined) => void = () => {},
  ) {
    this.#signer = signer;
    this.#policy = { kinds: new Set(policy.kinds), authors: new Set(policy.authors) };
    this.#onRefusal = onRefusal;
  }

  get counts(): Counts {
    return { ...this.#counts };
  }

  /** The event, if it is genuine, new, and of somebody who may write to us. */
  admit(given: unknown, nowS: number): NostrEvent | undefined {
    const event = readEvent(given);
    if (!event) return this.refuse("malformed", undefined);
    if (this.#seen.has(event.id)) return this.refuse("repeated", event.id);
    if (!this.#policy.authors.has(event.pubkey) || !this.#policy.kinds.has(event.kind)) return this.refuse("foreign", event.id);
    if (event.created_at < nowS - MAX_AGE_S || event.created_at > nowS + MAX_AHEAD_S) return this.refuse("late", event.id);
    if (!this.#signer.isGenuine(event)) return this.refuse("forged", event.id);
    this.#remember(event.id);
    this.#counts.accepted += 1;
    return event;
  }

  refuse(reason: RefusalReason, id: string | undefined): undefined {
    this.#counts[reason] += 1;
    this.#onRefusal(reason, id);
  }

  /** It was not handled after all, and may come again. */
  forget(id: string): void {
    this.#seen.delete(id);
  }

  #remember(id: string): void {
    this.#seen.add(id);
    if (this.#seen.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#seen;
    if (oldest !== undefined) this.#seen.delete(oldest);
  }
}
