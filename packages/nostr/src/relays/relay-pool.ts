import { debuglog } from "node:util";
import type { NostrEvent } from "@colloquy/schema";
import { Judge } from "./judge.ts";
import { RelayLink } from "./relay-link.ts";
import type { Signer } from "../signer.ts";
import type { Batch, FromThread, ThreadData, ToThread } from "./thread-messages.ts";

/** So many events are handed over at once: few enough that taking them delays nobody. */
const BATCH_EVENTS = 50;

/** `NODE_DEBUG=nostr` shows every event that is refused. */
const debug = debuglog("nostr");

/** All relays of a project, in the thread beside the one that commits. */
export class RelayPool {
  readonly #judge: Judge;
  readonly #links: ReadonlyMap<string, RelayLink>;
  readonly #post: (message: FromThread) => void;
  readonly #batches: Batch[] = [];
  #isBusy = false;

  constructor({ relays, policy, authKey }: ThreadData, signer: Signer, post: (message: FromThread) => void) {
    this.#post = post;
    this.#judge = new Judge(signer, policy, (reason, id) => debug("%s event refused: %s", reason, id ?? "without an id"));
    this.#links = new Map(
      relays.map(({ url, cursor }) => [
        url,
        new RelayLink({
          url,
          policy,
          judge: this.#judge,
          signer,
          authKey,
          cursor,
          deliver: (events, readTo) => this.#deliver(url, events, readTo),
          accepted: (id) => post({ type: "accepted", relay: url, id }),
          refused: (id, why) => post({ type: "refused", relay: url, id, why }),
          state: (isConnected, why) => post({ type: "state", relay: url, isConnected, why }),
        }),
      ]),
    );
  }

  start(): void {
    for (const link of this.#links.values()) link.connect();
  }

  hear(message: ToThread): void {
    switch (message.type) {
      case "publish":
        return this.#links.get(message.relay)?.publish(message.id, message.text);
      case "stream":
        for (const link of this.#links.values()) link.stream(message.text);
        return;
      case "handled":
        this.#isBusy = false;
        return this.#next();
      case "counts":
        return this.#post({ type: "counts", counts: this.#judge.counts });
      case "close":
        for (const link of this.#links.values()) link.close();
    }
  }

  #deliver(relay: string, events: readonly NostrEvent[], readTo: number): void {
    const last = this.#batches.at(-1);
    // Live events come one by one.
    if (events.length === 1 && last?.relay === relay && last.events.length < BATCH_EVENTS) {
      this.#batches[this.#batches.length - 1] = { relay, events: [...last.events, ...events], readTo };
    } else {
      for (let at = 0; at === 0 || at < events.length; at += BATCH_EVENTS) {
        const isLast = at + BATCH_EVENTS >= events.length;
        this.#batches.push({ relay, events: events.slice(at, at + BATCH_EVENTS), ...(isLast && { readTo }) });
      }
    }
    this.#next();
  }

  #next(): void {
    if (this.#isBusy) return;
    const batch = this.#batches.shift();
    if (!batch) return;
    this.#isBusy = true;
    this.#post({ type: "batch", batch });
  }
}
