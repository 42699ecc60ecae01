import type { RootId } from "@colloquy/schema";

/** So many go on before the disk and the network are looked at again. */
const AT_ONCE = 16;

interface Waiting {
  readonly rootId: RootId;
  readonly go: () => void;
}

/**
 * Commits come back from the disk by the dozen. What follows from each is done a few at a time, so that the next write does not wait for all of
 * them; and what people have said goes before what agents have done. Within a tree the order stays.
 */
export class Precedence {
  readonly #soon: (work: () => void) => void;
  readonly #people = new Line();
  readonly #agents = new Line();
  #left = AT_ONCE;
  #isScheduled = false;

  constructor(soon: (work: () => void) => void) {
    this.#soon = soon;
  }

  /** Resolves when it is this one's turn. */
  async wait(rootId: RootId, isFromPerson: boolean): Promise<void> {
    this.#schedule();
    if (this.#left > 0 && this.#people.isEmpty && this.#agents.isEmpty) this.#left -= 1;
    else await new Promise<void>((go) => (isFromPerson && !this.#agents.has(rootId) ? this.#people : this.#agents).add({ rootId, go }));
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#soon(() => {
      this.#isScheduled = false;
      for (this.#left = AT_ONCE; this.#left > 0; this.#left -= 1) {
        const next = this.#people.next() ?? this.#agents.next();
        if (!next) return;
        next.go();
      }
      this.#schedule();
    });
  }
}

/** First come, first served. */
class Line {
  #waiting: Waiting[] = [];
  #served = 0;
  readonly #counts = new Map<RootId, number>();

  get isEmpty(): boolean {
    return this.#served === this.#waiting.length;
  }

  has(rootId: RootId): boolean {
    return this.#counts.has(rootId);
  }

  add(one: Waiting): void {
    this.#waiting.push(one);
    this.#counts.set(one.rootId, (this.#counts.get(one.rootId) ?? 0) + 1);
  }

  next(): Waiting | undefined {
    const one = this.#waiting[this.#served];
    if (!one) return undefined;
    this.#served += 1;
    if (this.isEmpty) {
      this.#waiting = [];
      this.#served = 0;
    }
    const left = (this.#counts.get(one.rootId) ?? 0) - 1;
    if (left > 0) this.#counts.set(one.rootId, left);
    else this.#counts.delete(one.rootId);
    return one;
  }
}
