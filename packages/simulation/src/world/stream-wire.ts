import type { Network } from "./network.ts";
import type { Life } from "./schedule.ts";

/** What may break between a page and the server. */
export interface Breakable {
  readonly isOpen: boolean;
  /** Nothing gets through, and neither side knows. */
  isSilent: boolean;
  cut(): void;
}

/** A streamed response: its bytes arrive in order, in other pieces than sent. */
export class StreamWire implements Breakable {
  readonly body: ReadableStream<Uint8Array>;
  readonly #network: Network;
  readonly #page: Life;
  readonly #serverLife: Life;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #client: ReadableStreamDefaultController<Uint8Array> | undefined;
  #busyUntil = 0;
  readonly #underWay: (() => void)[] = [];
  #isCut = false;
  isSilent = false;

  constructor(network: Network, page: Life, serverLife: Life, sent: ReadableStream<Uint8Array>) {
    this.#network = network;
    this.#page = page;
    this.#serverLife = serverLife;
    this.#reader = sent.getReader();
    this.body = new ReadableStream<Uint8Array>({
      start: (client) => void (this.#client = client),
      cancel: () => this.left(),
    });
    void this.#carry();
  }

  get isOpen(): boolean {
    return !this.#isCut && !this.#serverLife.isOver;
  }

  async #carry(): Promise<void> {
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (this.#isCut || this.#serverLife.isOver) return;
      if (done) return this.#deliver(() => this.#end((client) => client.close()));
      const at = this.#network.somewhereIn(value);
      for (const piece of [value.subarray(0, at), value.subarray(at)])
        if (piece.length > 0) this.#deliver(() => this.isSilent || this.#client?.enqueue(piece.slice()));
    }
  }

  #deliver(work: () => void): void {
    const { schedule } = this.#network;
    this.#busyUntil = Math.max(this.#busyUntil, schedule.nowMs + this.#network.latency());
    // Two deliveries due together keep their order, despite rounding.
    this.#underWay.push(work);
    schedule.after(this.#page, this.#busyUntil - schedule.nowMs, () => {
      const next = this.#underWay.shift();
      if (!this.#isCut) next?.();
    });
  }

  #end(how: (client: ReadableStreamDefaultController<Uint8Array>) => void): void {
    this.#isCut = true;
    if (this.#client) how(this.#client);
  }

  cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    const { schedule } = this.#network;
    schedule.after(this.#page, this.#network.latency(), () => this.#end((client) => client.error(new Error("the connection broke"))));
    this.#serverHears();
  }

  /** The page stops reading. */
  left(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#serverHears();
  }

  #serverHears(): void {
    this.#network.schedule.after(this.#serverLife, this.#network.latency(), () => void this.#reader.cancel().catch(() => undefined));
  }
}
