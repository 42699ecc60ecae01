import { Worker } from "node:worker_threads";
import { PROJECT_STREAM } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import type { SendingState } from "./follower.ts";
import { lineText } from "./line-text.ts";
import { StoreSource } from "./store-source.ts";
import type { Described, FromThread, Order, Questions, TakenText, ThreadData, ToThread } from "./thread-messages.ts";

export interface ThreadParts extends Omit<ThreadData, "isShared"> {
  readonly store: Store;
  readonly described: () => Described;
  readonly report: (message: string) => void;
}

/** The state of the export. */
export interface TracingState extends SendingState {
  /** Commits whose spans have not been accepted. */
  readonly behind: number;
}

/** Sends the spans of every tree from a thread of its own. This one only hands over what was committed, as text. */
export class TracingThread {
  readonly #parts: ThreadParts;
  readonly #source: StoreSource;
  readonly #orders = new Map<number, PromiseWithResolvers<void>>();
  #worker: Worker | undefined;
  #state: SendingState = { sentSpans: 0, failing: undefined };
  /** What it was told of new commits since it last took them. */
  #told: "nothing" | "news" | "much" = "nothing";
  #described = "";
  #lastOrder = 0;

  constructor(parts: ThreadParts) {
    this.#parts = parts;
    this.#source = new StoreSource(parts.store);
    this.#source.onNews((isMuch) => this.#tell(isMuch));
  }

  /** From here on commits are noted. */
  async start(): Promise<void> {
    try {
      const claimed = await this.#source.claim();
      // The thread takes a moment to start; what happens meanwhile is sent.
      if (claimed && claimed.pos === undefined) await this.#source.save(claimed.notedFrom);
    } catch {
      // The thread tries again and reports it.
    }
    this.#run();
  }

  get state(): TracingState {
    return { ...this.#state, behind: this.#source.behind };
  }

  /** Sends what there is. Rejects with why the collector did not accept it. */
  flush(): Promise<void> {
    return this.#order("flush");
  }

  async close(): Promise<void> {
    await this.#order("close").catch(() => undefined); // the next process sends the rest
    await this.#worker?.terminate();
  }

  #run(): void {
    const { target, resource, isContentSent, report } = this.#parts;
    const file = import.meta.url.endsWith(".ts") ? "./tracing.worker.ts" : "./tracing.worker.js";
    const workerData: ThreadData = { target, resource, isContentSent, isShared: this.#source.isShared };
    const worker = new Worker(new URL(file, import.meta.url), { workerData });
    this.#worker = worker;
    this.#describe();
    worker.on("message", (message: FromThread) => this.#hear(message));
    worker.on("error", (error: Error) => {
      this.#state = { ...this.#state, failing: error.message };
      report(`Traces are sent again when the project is next opened: ${error.message}`);
    });
    worker.on("exit", () => this.#ended());
    this.#unrefIfIdle();
  }

  /** What was not sent is still in the log: the next process sends it. */
  #ended(): void {
    this.#worker = undefined;
    for (const { reject } of this.#orders.values()) reject(new Error("The thread that sends traces ended."));
    this.#orders.clear();
  }

  #hear(message: FromThread): void {
    switch (message.type) {
      case "ask":
        void this.#answer(message.id, message.question, message.asked);
        return;
      case "state":
        this.#state = message.state;
        return;
      case "report":
        this.#parts.report(message.message);
        return;
      case "done": {
        const order = this.#orders.get(message.id);
        this.#orders.delete(message.id);
        this.#unrefIfIdle();
        if (message.error === undefined) order?.resolve();
        else order?.reject(new Error(message.error));
      }
    }
  }

  async #answer(id: number, question: keyof Questions, asked: object): Promise<void> {
    try {
      this.#describe();
      this.#post({ type: "answer", id, answer: await this.#ask(question, asked as never) });
    } catch (error) {
      this.#post({ type: "answer", id, error: error instanceof Error ? error.message : String(error) });
    }
  }

  #ask<Of extends keyof Questions>(question: Of, asked: Questions[Of]["asked"]): unknown {
    const source = this.#source;
    const answers: { readonly [Of in keyof Questions]: (asked: Questions[Of]["asked"]) => unknown } = {
      claim: () => source.claim(),
      save: ({ pos }) => source.save(pos),
      release: () => source.release(),
      take: () => this.#take(),
      lookAgain: () => source.lookAgain(),
      read: async ({ rootId, after, limit }) => (await source.read(rootId, after, limit)).map((line) => lineText(rootId, line)).join(""),
      changed: ({ pos, isFirst }) => source.changed(pos, isFirst),
    };
    return answers[question](asked);
  }

  #take(): TakenText {
    this.#told = "nothing";
    const { commits, ...noted } = this.#source.note();
    let text = "";
    for (const { lines } of commits)
      for (const one of lines) if (one.stream !== PROJECT_STREAM) text += lineText(one.stream, one.line, one.text);
    return { ...noted, text };
  }

  #tell(isMuch: boolean): void {
    const now = isMuch ? "much" : "news";
    if (this.#told === "much" || this.#told === now) return;
    this.#told = now;
    this.#post({ type: "news", isMuch });
  }

  #describe(): void {
    const described = this.#parts.described();
    const text = JSON.stringify(described);
    if (text === this.#described) return;
    this.#described = text;
    this.#post({ type: "described", described });
  }

  #order(order: Order): Promise<void> {
    if (!this.#worker) return Promise.reject(new Error("The thread that sends traces ended."));
    this.#lastOrder += 1;
    const waiting = Promise.withResolvers<void>();
    this.#orders.set(this.#lastOrder, waiting);
    this.#worker.ref();
    this.#post({ type: "order", id: this.#lastOrder, order });
    return waiting.promise;
  }

  #unrefIfIdle(): void {
    // It keeps the process alive only while somebody waits for it.
    if (this.#orders.size === 0) this.#worker?.unref();
  }

  #post(message: ToThread): void {
    this.#worker?.postMessage(message);
  }
}
