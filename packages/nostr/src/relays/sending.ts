/** So many events are on the way at once. */
const MAX_IN_FLIGHT = 20;
const RETRY_MS = 5_000;
/** The relay may accept it later. Whatever else it says is final. */
const MAY_PASS = /^(?:rate-limited|error|auth-required):/;

interface SendingParts {
  readonly send: (text: string) => void;
  readonly accepted: (id: string) => void;
  readonly refused: (id: string, why: string) => void;
}

/** What one relay has not accepted yet, in order. */
export class Sending {
  readonly #parts: SendingParts;
  readonly #waiting = new Map<string, string>();
  readonly #inFlight = new Set<string>();
  #isOpen = false;
  #pause: NodeJS.Timeout | undefined;

  constructor(parts: SendingParts) {
    this.#parts = parts;
  }

  add(id: string, text: string): void {
    this.#waiting.set(id, text);
    this.#fill();
  }

  /** The connection is there: everything unanswered is sent, once more if need be. */
  start(): void {
    this.stop();
    this.#isOpen = true;
    this.#fill();
  }

  stop(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#isOpen = false;
    this.#inFlight.clear();
  }

  answered(id: string, isAccepted: boolean, why: string): void {
    if (!this.#waiting.has(id)) return;
    this.#inFlight.delete(id);
    if (isAccepted || why.startsWith("duplicate:")) {
      this.#waiting.delete(id);
      this.#parts.accepted(id);
    } else if (MAY_PASS.test(why)) {
      this.#pause ??= setTimeout(() => this.start(), RETRY_MS);
      return;
    } else {
      this.#waiting.delete(id);
      this.#parts.refused(id, why);
    }
    this.#fill();
  }

  #fill(): void {
    if (!this.#isOpen || this.#pause) return;
    for (const [id, text] of this.#waiting) {
      if (this.#inFlight.size >= MAX_IN_FLIGHT) return;
      if (this.#inFlight.has(id)) continue;
      this.#inFlight.add(id);
      this.#parts.send(text);
    }
  }
}
