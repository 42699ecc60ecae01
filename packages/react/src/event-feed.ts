import type { Clock } from "@colloquy/client";
import type { ServerPacket } from "@colloquy/schema";
import type { Refusal } from "./door.ts";
import { refusalOf } from "./http-door.ts";

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;
/** The server says something at least every fifteen seconds: a connection that is silent for so long is none any more. */
const SILENT_MS = 45_000;

const realClock: Clock = {
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  chance: () => Math.random(),
};

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
  readonly #clock: Clock;
  readonly #ending = new AbortController();
  #last: string | undefined;
  #hurry: () => void = () => {};

  constructor(ask: Ask, listener: FeedListener, clock: Clock = realClock) {
    this.#clock = clock;
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
      const silence = new Silence(this.#clock);
      try {
        const response = await this.#ask(this.#last, AbortSignal.any([this.#ending.signal, silence.signal]));
        if (response.ok && response.body) {
          attempt = 0;
          if (!this.#isEnded) this.#listener.opened(this.#last !== undefined);
          await this.#read(response.body, silence);
        } else if (await this.#isRefused(response)) return;
      } catch {
        // Cut off, or nobody there: both are mended by coming back.
      } finally {
        silence.over();
      }
      if (this.#isEnded) return;
      this.#listener.lost();
      await this.#pause(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt));
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

  async #read(body: ReadableStream<Uint8Array>, silence: Silence): Promise<void> {
    const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done || this.#isEnded) return;
      silence.broken();
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
      const callOff = this.#clock.after(ms * (0.5 + this.#clock.chance() / 2), resolve);
      this.#hurry = () => {
        callOff();
        resolve();
      };
    });
  }
}

/** Of one connection: aborts it when nothing has come for long. */
class Silence {
  readonly #clock: Clock;
  readonly #ended = new AbortController();
  #callOff: () => void;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#callOff = this.#wait();
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  broken(): void {
    this.#callOff();
    this.#callOff = this.#wait();
  }

  over(): void {
    this.#callOff();
  }

  #wait(): () => void {
    return this.#clock.after(SILENT_MS, () => this.#ended.abort(new Error("The server has fallen silent.")));
  }
}
