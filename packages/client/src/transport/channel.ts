import type { Refused } from "@colloquy/schema";
import type { Accepted, Connection, Unnamed } from "./connection.ts";
import { Disconnected } from "../disconnected.ts";

/** A passing refusal: retry later. */
export const PASSING: ReadonlySet<string> = new Set(["unavailable", "log_full", "rate_limited"]);
const PAUSE_MS = 2_000;

/** What differs between a tree and a project. */
export interface Subscribing {
  /** The current resume position; undefined without listeners. */
  wanted(): Extract<Unnamed, { type: "subscribe" }> | undefined;
  unwanted(): Extract<Unnamed, { type: "unsubscribe" }>;
  accepted(asked: Extract<Unnamed, { type: "subscribe" }>, answer: Accepted): void;
  /** True: subscribe again, for what is wanted now. */
  refused(error: Refused): boolean;
}

/**
 * One subscription, kept alive across connections. A server has one per tree and socket and handles packets concurrently, so the next
 * one is sent when the last one is answered.
 */
export class Channel {
  readonly #connection: Connection;
  readonly #subscribing: Subscribing;
  #isAsking = false;
  #isStale = false;
  /** The server has confirmed it. */
  #isThere = false;

  constructor(connection: Connection, subscribing: Subscribing) {
    this.#connection = connection;
    this.#subscribing = subscribing;
  }

  /** Call when the wanted position or the connection has changed. */
  renew(): void {
    if (this.#isAsking) {
      this.#isStale = true;
      return;
    }
    if (!this.#connection.isOpen) return;
    const wanted = this.#subscribing.wanted();
    if (wanted) this.#subscribe(wanted);
    else if (this.#isThere) this.#unsubscribe();
  }

  dropped(): void {
    this.#isThere = false;
  }

  #subscribe(wanted: Extract<Unnamed, { type: "subscribe" }>): void {
    this.#ask(wanted, (answer) => {
      this.#isThere = true;
      this.#subscribing.accepted(wanted, answer);
    });
  }

  #unsubscribe(): void {
    this.#ask(this.#subscribing.unwanted(), () => (this.#isThere = false));
  }

  #ask(packet: Unnamed, accepted: (answer: Accepted) => void): void {
    this.#isAsking = true;
    this.#isStale = false;
    this.#connection.ask(packet, {
      accepted: (answer) => {
        this.#isAsking = false;
        accepted(answer);
        if (this.#isStale) this.renew();
      },
      refused: (error) => {
        this.#isAsking = false;
        // The next connection subscribes again by itself.
        if (error instanceof Disconnected) return;
        if (PASSING.has(error.code)) this.#connection.after(PAUSE_MS, () => this.#isThere || this.renew());
        else if (this.#subscribing.refused(error) || this.#isStale) this.renew();
      },
    });
  }
}
