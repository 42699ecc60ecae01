import { EventFeed, wholeCommits } from "@colloquy/react/parts";
import type { RootId, ServerPacket, TreeEvent } from "@colloquy/schema";
import { demand } from "./broken.ts";
import type { Chance } from "./chance.ts";
import { LiveOrder } from "./live-order.ts";
import type { Network } from "./network.ts";
import { Life, type Schedule } from "./schedule.ts";
import type { Site } from "./site.ts";

/** Somebody who only reads, over server-sent events. */
export class Reader {
  readonly #name: string;
  readonly #site: Site;
  readonly #schedule: Schedule;
  readonly #network: Network;
  readonly #chance: Chance;
  readonly #page: Life;
  readonly #feeds = new Map<RootId, { readonly feed: EventFeed; seq: number }>();

  constructor(name: string, site: Site, schedule: Schedule, network: Network, chance: Chance) {
    this.#name = name;
    this.#site = site;
    this.#schedule = schedule;
    this.#network = network;
    this.#chance = chance;
    this.#page = new Life(name);
  }

  get watching(): number {
    return this.#feeds.size;
  }

  /** Some tree from its beginning on, or one less. */
  act(): void {
    const [some] = this.#feeds.keys();
    if (some !== undefined && this.#chance.is(0.3)) return this.#stop(some);
    const rootId = this.#chance.pick([...this.#site.ledger.trees.keys()]);
    if (rootId !== undefined) this.watch(rootId);
  }

  watchAll(): void {
    for (const rootId of this.#site.ledger.trees.keys()) this.watch(rootId);
  }

  watch(rootId: RootId): void {
    if (this.#feeds.has(rootId)) return;
    const url = `http://simulated.invalid/api/projects/${this.#site.id}/dialogs/${rootId}/stream`;
    const order = new LiveOrder(this.#name);
    const { opened, packet } = wholeCommits((one) => this.#hear(rootId, one, order));
    const clock = { after: (ms: number, act: () => void) => this.#schedule.after(this.#page, ms, act), chance: this.#chance.next };
    const feed = new EventFeed(
      (last, signal) =>
        this.#network.stream(
          this.#page,
          this.#name,
          last === undefined ? `${url}?after=0` : url,
          last === undefined ? {} : { "last-event-id": last },
          signal,
        ),
      {
        packet,
        opened: (isWhole) => {
          order.forget();
          opened(isWhole);
        },
        lost: () => order.forget(),
        refused: (refusal) => demand(false, "SI6", () => `${this.#name} is refused ${rootId}: ${refusal.message}`),
      },
      clock,
    );
    this.#feeds.set(rootId, { feed, seq: 0 });
  }

  demandUpToDate(): void {
    for (const [rootId, { seq }] of this.#feeds) {
      const truth = this.#site.ledger.trees.get(rootId)?.seq;
      demand(seq === truth, "SI7", () => `${this.#name} has ${rootId} up to ${seq}, the log is at ${truth}`);
    }
  }

  #stop(rootId: RootId): void {
    this.#feeds.get(rootId)?.feed.close();
    this.#feeds.delete(rootId);
  }

  #hear(rootId: RootId, packet: ServerPacket, order: LiveOrder): void {
    const watched = this.#feeds.get(rootId);
    if (!watched) return;
    if (packet.type !== "recorded") {
      if ("genseq" in packet) order.hear(packet);
      return;
    }
    demand(packet.seq === watched.seq + 1, "SI6", () => `${this.#name} got ${packet.seq} of ${rootId} behind ${watched.seq}`);
    const is = this.#site.ledger.eventAt(rootId, packet.seq);
    demand(
      is !== undefined && JSON.stringify(is) === JSON.stringify(packet.event as TreeEvent),
      "SI6",
      () => `${this.#name} got an event of ${rootId} at ${packet.seq} that is not in the log`,
    );
    watched.seq = packet.seq;
  }
}
