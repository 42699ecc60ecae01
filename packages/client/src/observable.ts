/** A value that changes. Its snapshot stays the same object until then, as React's `useSyncExternalStore` requires. */
export interface Observable<Value> {
  /** Returns an unsubscribe function. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => Value;
}

export class Observed<Value> implements Observable<Value> {
  readonly #listeners = new Set<() => void>();
  #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  readonly getSnapshot = (): Value => this.#value;

  readonly subscribe = (listener: () => void): (() => void) => {
    // Wrapped, so that a function subscribed twice can be unsubscribed separately.
    const one = () => listener();
    this.#listeners.add(one);
    return () => void this.#listeners.delete(one);
  };

  set(value: Value): void {
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }
}
