import { Worker } from "node:worker_threads";
import type { Counts } from "./judge.ts";
import type { Batch, FromThread, ThreadData, ToThread } from "./thread-messages.ts";

interface ThreadEvents {
  /** Resolves when the batch is durable; only then comes the next. */
  readonly batch: (batch: Batch) => Promise<void>;
  readonly accepted: (relay: string, id: string) => void;
  readonly refused: (relay: string, id: string, why: string) => void;
  readonly state: (relay: string, isConnected: boolean, why: string | undefined) => void;
  /** It ended by a mistake of ours; nothing is lost. */
  readonly failed: (error: Error) => void;
}

/** The thread that holds the connections to relays. */
export class RelayThread {
  readonly #worker: Worker;
  readonly #events: ThreadEvents;
  readonly #exited: Promise<void>;
  #counted: ((counts: Counts | undefined) => void)[] = [];
  #isOver = false;

  constructor(data: ThreadData, events: ThreadEvents) {
    this.#events = events;
    const file = import.meta.url.endsWith(".ts") ? "./relays.worker.ts" : "./relays.worker.js";
    this.#worker = new Worker(new URL(file, import.meta.url), { workerData: data });
    this.#worker.on("message", (message: FromThread) => this.#hear(message));
    this.#worker.on("error", (error: Error) => events.failed(error));
    this.#exited = new Promise((resolve) => this.#worker.once("exit", () => resolve()));
    // Nobody waits for a thread that has ended.
    void this.#exited.then(() => {
      this.#isOver = true;
      for (const resolve of this.#counted.splice(0)) resolve(undefined);
    });
  }

  publish(relay: string, id: string, text: string): void {
    this.#post({ type: "publish", relay, id, text });
  }

  stream(text: string): void {
    this.#post({ type: "stream", text });
  }

  /** Undefined if it has ended. */
  async counts(): Promise<Counts | undefined> {
    if (this.#isOver) return undefined;
    const counted = new Promise<Counts | undefined>((resolve) => this.#counted.push(resolve));
    this.#post({ type: "counts" });
    return counted;
  }

  async close(): Promise<void> {
    this.#post({ type: "close" });
    await this.#worker.terminate();
    await this.#exited;
  }

  #hear(message: FromThread): void {
    switch (message.type) {
      case "batch":
        void this.#events.batch(message.batch).then(() => this.#post({ type: "handled" }));
        return;
      case "accepted":
        return this.#events.accepted(message.relay, message.id);
      case "refused":
        return this.#events.refused(message.relay, message.id, message.why);
      case "state":
        return this.#events.state(message.relay, message.isConnected, message.why);
      case "counts":
        for (const resolve of this.#counted.splice(0)) resolve(message.counts);
    }
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message);
  }
}
