import type { ServerPacket } from "@colloquy/schema";
import type { Refusal } from "./door.ts";
import { refusalOf } from "./http-door.ts";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

export interface FeedListener {
  readonly packet: (packet: ServerPacket) => void;
  /** It is read now; `isWhole`: nothing was missed since the last time. */
  readonly opened: (isWhole: boolean) => void;
  readonly lost: () => void;
  /** A "no" that will stay one: it is not asked for again. */
  readonly refused: (refusal: Refusal) => void;
}

/** Asks for the stream, from behind this event if there is one. */
type Ask = (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>;

/** Server-sent events for as long as somebody listens: cut off, it comes back behind the last event that it has. */
export class EventFeed {
  readonly #ask: Ask;
  readonly #listener: FeedListener;
  readonly #ending = new AbortController();
  #last: string | undefined;
  #hurry: () => void = () => {};

  constructor(ask: Ask, listener: FeedListener) {
    this.#ask = ask;
    this.#listener = listener;
    void this.#run();
  }

  retryNow(): void {
    this.#hurry();
  }

  close(): void {
    this.#ending.abort();
    this.#hurry();
  }

  get #isEnded(): boolean {
    return this.#ending.signal.aborted;
  }

  async #run(): Promise<void> {
    for (let attempt = 0; !this.#isEnded; attempt++) {
      try {
        const response = await this.#ask(this.#last, this.#ending.signal);
        if (response.ok && response.body) {
          attempt = 0;
          if (!this.#isEnded) this.#listener.opened(this.#last !== undefined);
          await this.#read(response.body);
        } else if (await this.#isRefused(response)) return;
      } catch {
        // Cut off, or nobody there: both are mended by coming back.
      }
      if (this.#isEnded) return;
      this.#listener.lost();
      await this.#pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt));
    }
  }

  async #isRefused(response: Response): Promise<boolean> {
    const refusal = await refusalOf(response);
    if (refusal.code === "too_far_behind") this.#last = undefined;
    else if (response.status < 500 && response.status !== 429) {
      if (!this.#isEnded) this.#listener.refused(refusal);
      return true;
    }
    return false;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done || this.#isEnded) return;
      const frames = (text + value).split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) this.#hear(frame);
    }
  }

  #hear(frame: string): void {
    const fields = new Map(frame.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]));
    const data = fields.get("data");
    if (data === undefined || this.#isEnded) return;
    this.#listener.packet(JSON.parse(data) as ServerPacket);
    this.#last = fields.get("id") ?? this.#last;
  }

  /** By chance between half of it and all, so that not all come back at once. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms * (0.5 + Math.random() / 2));
      this.#hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
