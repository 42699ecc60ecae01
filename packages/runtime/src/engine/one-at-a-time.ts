/** Runs jobs with the same key one after the other, in order of arrival. */
export class OneAtATime {
  readonly #last = new Map<string, Promise<void>>();

  async alone<Value>(thing: string, work: () => Promise<Value>): Promise<Value> {
    const before = this.#last.get(thing);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(thing, promise);
    await before;
    try {
      return await work();
    } finally {
      resolve();
      if (this.#last.get(thing) === promise) this.#last.delete(thing);
    }
  }
}
