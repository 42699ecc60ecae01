import type { NostrEvent } from "@colloquy/schema";
import { CatchUp } from "./catch-up.ts";
import type { Judge, Policy } from "./judge.ts";
import { AUTH_KIND } from "../kinds.ts";
import { MAX_FRAME_CHARACTERS } from "./read-event.ts";
import { Sending } from "./sending.ts";
import type { Signer } from "../signer.ts";

/** How long ago an event may have been written that a relay gets only now: its author may have been offline. */
const OVERLAP_S = 14 * 24 * 60 * 60;
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;
/** A relay that does not answer for so long is left, and connected to again. */
const PING_MS = 30_000;

const LIVE = "live";
const PAST = "past";
const PING = "ping";

export interface LinkOptions {
  readonly url: string;
  readonly policy: Policy;
  readonly judge: Judge;
  readonly signer: Signer;
  /** Proves who we are to a relay that asks (NIP-42). */
  readonly authKey: string | undefined;
  /** The second up to which everything was read; undefined: nothing yet. */
  readonly cursor: number | undefined;
  /** `readTo`: with these, everything up to that second has been delivered. */
  readonly deliver: (events: readonly NostrEvent[], readTo: number) => void;
  readonly accepted: (id: string) => void;
  readonly refused: (id: string, why: string) => void;
  readonly state: (isConnected: boolean, why: string | undefined) => void;
}

const nowS = (): number => Math.floor(Date.now() / 1_000);

/** The connection to one relay: reads what is for us, sends what is registered, and comes back whenever it is lost. */
export class RelayLink {
  readonly #options: LinkOptions;
  readonly #sending: Sending;
  #ws: WebSocket | undefined;
  #cursor: number | undefined;
  #past: CatchUp | undefined;
  #pastBegan = 0;
  /** Live events that came while the past was read. */
  #meanwhile: NostrEvent[] = [];
  #isLive = false;
  #attempts = 0;
  #timer: NodeJS.Timeout | undefined;
  #isAnswering = true;
  #isClosed = false;
  #challenge: string | undefined;
  #authId: string | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#cursor = options.cursor;
    this.#sending = new Sending({
      send: (text) => this.#send(text),
      accepted: options.accepted,
      refused: options.refused,
    });
  }

  publish(id: string, text: string): void {
    this.#sending.add(id, text);
  }

  /** An event that nobody needs to keep: it is sent if there is a connection. */
  stream(text: string): void {
    this.#send(text);
  }

  connect(): void {
    if (this.#isClosed) return;
    this.#timer = undefined;
    let ws: WebSocket;
    try {
      ws = new WebSocket(this.#options.url);
    } catch (error) {
      return this.#lost(error instanceof Error ? error.message : String(error));
    }
    this.#ws = ws;
    ws.addEventListener("open", () => ws === this.#ws && this.#opened());
    ws.addEventListener("message", ({ data }) => ws === this.#ws && this.#hear(data));
    ws.addEventListener("error", () => ws.close());
    ws.addEventListener("close", ({ reason }) => ws === this.#ws && this.#lost(reason || "no connection"));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#sending.stop();
    const ws = this.#ws;
    this.#ws = undefined;
    ws?.close();
  }

  #opened(): void {
    this.#attempts = 0;
    this.#isAnswering = true;
    this.#challenge = this.#authId = undefined;
    this.#options.state(true, undefined);
    this.#subscribe();
    this.#sending.start();
    this.#timer = setTimeout(() => this.#ping(), PING_MS);
  }

  #lost(why: string): void {
    clearTimeout(this.#timer);
    this.#ws = undefined;
    this.#sending.stop();
    this.#isLive = false;
    // What was not delivered comes again with the next connection.
    const undelivered = [...(this.#past?.take() ?? []), ...this.#meanwhile.splice(0)];
    this.#past = undefined;
    for (const { id } of undelivered) this.#options.judge.forget(id);
    if (this.#isClosed) return;
    this.#options.state(false, why);
    const pause = Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** this.#attempts);
    this.#attempts += 1;
    this.#timer = setTimeout(() => this.connect(), pause / 2 + Math.random() * (pause / 2));
  }

  #ping(): void {
    if (!this.#isAnswering) return this.#ws?.close();
    this.#isAnswering = false;
    this.#send(JSON.stringify(["REQ", PING, { ids: ["0".repeat(64)], limit: 1 }]));
    this.#timer = setTimeout(() => this.#ping(), PING_MS);
  }

  #subscribe(): void {
    const { kinds, authors } = this.#options.policy;
    if (authors.length === 0) return;
    this.#isLive = false;
    this.#send(JSON.stringify(["REQ", LIVE, { kinds, authors, limit: 1 }]));
  }

  #readPast(): void {
    this.#pastBegan = nowS();
    this.#past = new CatchUp((this.#cursor ?? this.#pastBegan) - OVERLAP_S);
    this.#askForPage();
  }

  #askForPage(): void {
    const { kinds, authors } = this.#options.policy;
    if (this.#past) this.#send(JSON.stringify(["REQ", PAST, { kinds, authors, ...this.#past.filter }]));
  }

  #hear(data: unknown): void {
    this.#isAnswering = true;
    const { judge } = this.#options;
    if (typeof data !== "string") return judge.refuse("malformed", undefined);
    if (data.length > MAX_FRAME_CHARACTERS) return judge.refuse("oversized", undefined);
    let frame: unknown;
    try {
      frame = JSON.parse(data);
    } catch {
      return judge.refuse("malformed", undefined);
    }
    if (!Array.isArray(frame)) return judge.refuse("malformed", undefined);
    const [type, first, second, third] = frame as readonly unknown[];
    switch (type) {
      case "EVENT":
        return this.#event(first, second);
      case "EOSE":
        return this.#endOfStored(first);
      case "OK":
        return this.#ok(String(first), second === true, typeof third === "string" ? third : "");
      case "AUTH":
        return this.#authenticate(String(first));
      case "CLOSED":
        return this.#closedByRelay(first, typeof second === "string" ? second : "");
      default: // notices, and whatever else a relay says
    }
  }

  #event(subscription: unknown, given: unknown): void {
    const isPast = subscription === PAST;
    if (isPast) {
      const createdAt = (given as { readonly created_at?: unknown } | null)?.created_at;
      this.#past?.received(Number.isSafeInteger(createdAt) ? Number(createdAt) : undefined);
    }
    // Stored events come with the past, in order.
    if (!isPast && !(subscription === LIVE && this.#isLive)) return;
    const event = this.#options.judge.admit(given, nowS());
    if (!event) return;
    if (isPast && this.#past) this.#past.keep(event);
    else if (this.#past) this.#meanwhile.push(event);
    else this.#deliver([event], Math.max(this.#cursor ?? 0, Math.min(event.created_at, nowS())));
  }

  #endOfStored(subscription: unknown): void {
    if (subscription === LIVE && !this.#isLive) {
      this.#isLive = true;
      return this.#readPast();
    }
    if (subscription !== PAST || !this.#past) return;
    if (this.#past.turnPage()) return this.#askForPage();
    const events = [...this.#past.take(), ...this.#meanwhile.splice(0)];
    this.#past = undefined;
    this.#send(JSON.stringify(["CLOSE", PAST]));
    this.#deliver(events, this.#pastBegan);
  }

  #deliver(events: readonly NostrEvent[], readTo: number): void {
    this.#cursor = readTo;
    this.#options.deliver(events, readTo);
  }

  #ok(id: string, isAccepted: boolean, why: string): void {
    if (id === this.#authId) {
      this.#authId = undefined;
      if (!isAccepted) return;
      this.#subscribe();
      return this.#sending.start();
    }
    this.#sending.answered(id, isAccepted, why);
  }

  #closedByRelay(subscription: unknown, why: string): void {
    // Once it knows us, we ask again.
    if (why.startsWith("auth-required:") || subscription === PING) return;
    this.#ws?.close();
  }

  #authenticate(challenge: string): void {
    const { authKey, signer, url } = this.#options;
    if (authKey === undefined || challenge === this.#challenge) return;
    this.#challenge = challenge;
    const tags = [
      ["relay", url],
      ["challenge", challenge],
    ];
    const event = signer.sign({ kind: AUTH_KIND, created_at: nowS(), tags, content: "" }, authKey);
    this.#authId = event.id;
    this.#send(JSON.stringify(["AUTH", event]));
  }

  #send(text: string): void {
    if (this.#ws?.readyState === WebSocket.OPEN) this.#ws.send(text);
  }
}
