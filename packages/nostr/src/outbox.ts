import type { NostrEvent } from "@colloquy/schema";

interface Waiting {
  readonly pos: number;
  readonly id: string;
}

interface OutboxParts {
  /** Where each relay's deliveries ended: everything registered up to there was accepted, or refused for good. */
  readonly cursors: ReadonlyMap<string, number>;
  readonly publish: (relay: string, id: string, text: string) => void;
  readonly save: (relay: string, pos: number) => void;
}

/** Registered events that relays have not accepted yet. What is accepted may be sent again after a crash: its id is the same. */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #waiting: ReadonlyMap<string, Map<string, Waiting>>;
  /** The last registered event. */
  #pos = 0;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.#waiting = new Map([...parts.cursors.keys()].map((relay) => [relay, new Map<string, Waiting>()]));
  }

  add(pos: number, event: NostrEvent): void {
    this.#pos = Math.max(this.#pos, pos);
    for (const [relay, waiting] of this.#waiting) {
      if (pos <= (this.#parts.cursors.get(relay) ?? 0)) continue;
      waiting.set(event.id, { pos, id: event.id });
      this.#parts.publish(relay, event.id, JSON.stringify(["EVENT", event]));
    }
  }

  /** The relay has it, or will never take it. */
  done(relay: string, id: string): void {
    const waiting = this.#waiting.get(relay);
    if (!waiting?.delete(id)) return;
    const [next] = waiting.values();
    this.#parts.save(relay, next === undefined ? this.#pos : next.pos - 1);
  }

  /** How many events the relay has not accepted. */
  behind(relay: string): number {
    return this.#waiting.get(relay)?.size ?? 0;
  }
}
