import type { NostrEvent } from "@colloquy/schema";

/** How many events are asked for at once. */
const PAGE_EVENTS = 500;

export interface PastFilter {
  readonly since: number;
  readonly until?: number;
  readonly limit: number;
}

/** Reads what a relay has stored, page by page: relays answer the newest first, and only so many. */
export class CatchUp {
  readonly #since: number;
  readonly #events: NostrEvent[] = [];
  #until: number | undefined;
  /** Of the page being read. */
  #oldest = Number.POSITIVE_INFINITY;
  #received = 0;

  constructor(since: number) {
    this.#since = Math.max(0, since);
  }

  get filter(): PastFilter {
    return { since: this.#since, ...(this.#until !== undefined && { until: this.#until }), limit: PAGE_EVENTS };
  }

  /** Something came, accepted or not. `createdAt`: as it says. */
  received(createdAt: number | undefined): void {
    this.#received += 1;
    if (createdAt !== undefined) this.#oldest = Math.min(this.#oldest, createdAt);
  }

  keep(event: NostrEvent): void {
    this.#events.push(event);
  }

  /** The page is complete. True if there may be an older one. */
  turnPage(): boolean {
    const [received, oldest, until] = [this.#received, this.#oldest, this.#until];
    this.#received = 0;
    this.#oldest = Number.POSITIVE_INFINITY;
    // A relay that gives what was not asked for has nothing more to say.
    if (received === 0 || !Number.isFinite(oldest) || oldest <= this.#since || oldest > (until ?? oldest)) return false;
    // That second is asked for once more: the page may have ended within it.
    const next = oldest === until ? oldest - 1 : oldest;
    this.#until = next;
    return next >= this.#since;
  }

  /** Everything, in the order in which it was written. */
  take(): readonly NostrEvent[] {
    return this.#events.toSorted(
      (one, other) => one.created_at - other.created_at || Number(answers(one, other)) - Number(answers(other, one)),
    );
  }
}

/** Within a second, an answer comes after what it answers. */
const answers = (one: NostrEvent, other: NostrEvent): boolean =>
  one.tags.some(([name, id]) => (name === "e" || name === "E") && id === other.id);
