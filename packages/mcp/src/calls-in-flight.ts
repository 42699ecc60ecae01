import type { OpenCall, ToolQuestion } from "@colloquy/runtime";
import type { FormAnswer } from "@colloquy/schema";

interface InFlight {
  readonly ask: OpenCall["ask"];
  /** Its questions that a person hasn't answered. */
  asking: number;
}

/**
 * Attributes a server's question to a call. In the older protocol a server asks over the connection, not within the call. A call that
 * waits for an answer doesn't ask meanwhile, so with one other call in flight the question is that one's. With several it isn't known
 * yet: then no new call starts until the others have ended. If all remaining calls have asked, nobody can tell, and nobody is asked.
 */
export class CallsInFlight {
  readonly #calls = new Set<InFlight>();
  #unclear = 0;
  #change = Promise.withResolvers<void>();

  async run<Result>(ask: OpenCall["ask"], work: () => Promise<Result>): Promise<Result> {
    while (this.#unclear > 0) await this.#change.promise;
    const call: InFlight = { ask, asking: 0 };
    this.#calls.add(call);
    try {
      return await work();
    } finally {
      this.#calls.delete(call);
      this.#changed();
    }
  }

  async ask(question: ToolQuestion): Promise<FormAnswer> {
    const call = await this.#whose();
    if (!call) return { action: "cancel" };
    call.asking += 1;
    this.#changed();
    try {
      return await call.ask(question);
    } finally {
      call.asking -= 1;
    }
  }

  async #whose(): Promise<InFlight | undefined> {
    this.#unclear += 1;
    try {
      for (;;) {
        const all = [...this.#calls];
        const free = all.filter(({ asking }) => asking === 0);
        if (free.length <= 1) return free[0] ?? (all.length === 1 ? all[0] : undefined);
        // It is ambiguous. The first call that learns this ends, which decides it for the others.
        if (this.#unclear >= free.length) return undefined;
        await this.#change.promise;
      }
    } finally {
      this.#unclear -= 1;
      this.#changed();
    }
  }

  #changed(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }
}
