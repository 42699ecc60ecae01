import { Refused, type ServerPacket, type WireError } from "@colloquy/schema";
import { type Clock, realClock } from "../ports.ts";

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;
/** The server sends something at least every fifteen seconds: a connection silent for this long is dead. */
const SILENT_MS = 45_000;

export interface FeedListener {
  readonly packet: (packet: ServerPacket) => void;
  /** It is connected; `isWhole`: nothing was missed since the last time. */
  readonly opened: (isWhole: boolean) => void;
  readonly lost: () => void;
  /** A final refusal: it isn't requested again. */
  readonly refused: (refusal: Refused) => void;
}

/** Requests the stream, after this event if there is one. */
type Ask = (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>;

/** Server-sent events while somebody listens: after a disconnect it resumes after its last event. */
export class EventFeed {
  readonly #ask: Ask;
  readonly #listener: FeedListener;
  readonly #clock: Clock;
  readonly #ending = new AbortController();
  #last: string | undefined;
  #hurry: () => void = () => {};
  /** Attempts since the stream was last open. */
  attempt = 0;
  /** The pause before the next attempt. */
  pauseMs = 0;

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
    while (!this.#isEnded) {
      const silence = new Silence(this.#clock);
      try {
        const response = await this.#ask(this.#last, AbortSignal.any([this.#ending.signal, silence.signal]));
        if (response.ok && response.body) {
          this.attempt = 0;
          if (!this.#isEnded) this.#listener.opened(this.#last !== undefined);
          await this.#read(response.body, silence);
        } else if (await this.#isRefused(response)) return;
      } catch {
        // Disconnected or unreachable: reconnecting handles both.
      } finally {
        silence.over();
      }
      if (this.#isEnded) return;
      // By chance between half of it and all, so that clients do not all reconnect at once.
      this.pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.attempt) * (0.5 + this.#clock.chance() / 2);
      this.attempt += 1;
      this.#listener.lost();
      await this.#pause(this.pauseMs);
    }
  }

  async #isRefused(response: Response): Promise<boolean> {
    const refusal = await refusalIn(response);
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

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const callOff = this.#clock.after(ms, resolve);
      this.#hurry = () => {
        callOff();
        resolve();
      };
    });
  }
}

/** Aborts a connection that has been silent for too long. */
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

async function refusalIn(response: Response): Promise<Refused> {
  const answer = (await response.json().catch(() => undefined)) as WireError | undefined;
  return new Refused(answer?.error ?? { code: "internal", message: `The server answered with ${response.status}.` });
}
