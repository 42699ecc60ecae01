/** A value that is fetched once for all who watch it, and again when it may have changed. Forgotten when nobody watches. */
export class Shared<Value> {
  #value: Value;
  readonly #listeners = new Set<() => void>();
  readonly #begin: () => () => void;
  #end: (() => void) | undefined;
  #closing: ReturnType<typeof setTimeout> | undefined;

  /** `begin` starts what keeps the value true, and returns how to stop it. */
  constructor(first: Value, begin: (self: Shared<Value>) => () => void) {
    this.#value = first;
    this.#begin = () => begin(this);
  }

  readonly get = (): Value => this.#value;

  set(value: Value): void {
    if (value === this.#value) return;
    this.#value = value;
    for (const listen of this.#listeners) listen();
  }

  readonly subscribe = (listen: () => void): (() => void) => {
    this.#listeners.add(listen);
    clearTimeout(this.#closing);
    this.#end ??= this.#begin();
    return () => {
      this.#listeners.delete(listen);
      if (this.#listeners.size > 0) return;
      // A page that is left and entered again at once finds everything still there.
      this.#closing = setTimeout(() => {
        this.#end?.();
        this.#end = undefined;
      }, 2_000);
    };
  };
}

/** Runs `work` soon, and once more if it was asked for meanwhile: never twice at the same time. */
export function soon(work: () => Promise<void>, pauseMs = 40): () => void {
  let isAsked = false;
  let isBusy = false;
  const run = async () => {
    isBusy = true;
    while (isAsked) {
      isAsked = false;
      await work();
    }
    isBusy = false;
  };
  return () => {
    isAsked = true;
    if (!isBusy) {
      isBusy = true;
      setTimeout(() => void run(), pauseMs);
    }
  };
}
