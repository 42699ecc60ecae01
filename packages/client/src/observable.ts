/** A value that changes. The snapshot is the same object until it does, as React's `useSyncExternalStore` wants it. */
export interface Observable<Value> {
  /** Returns the way to stop listening. */
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
    // Wrapped: the same function may listen twice, and each leaves for itself.
    const one = () => listener();
    this.#listeners.add(one);
    return () => void this.#listeners.delete(one);
  };

  set(value: Value): void {
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }
}
