import type { LiveEvent } from "@colloquy/schema";

export type { LiveEvent } from "@colloquy/schema";

/** What a step says. The caller adds the location. */
export type SegmentEvent = WithoutPlace<LiveEvent>;
type WithoutPlace<Event> = Event extends unknown ? Omit<Event, "dialog" | "agent" | "course" | "genseq"> : never;

/** Listeners that come and go. One that throws is reported, and affects neither the others nor us. */
export class Listeners<Event> {
  readonly #all = new Set<(event: Event) => void>();
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  add(listener: (event: Event) => void): () => void {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  get size(): number {
    return this.#all.size;
  }

  tell(event: Event): void {
    for (const listener of this.#all) {
      try {
        listener(event);
      } catch (error) {
        this.#report(error);
      }
    }
  }
}
