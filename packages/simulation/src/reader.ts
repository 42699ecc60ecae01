import { EventFeed, type FeedListener, wholeCommits } from "@colloquy/react/internals";
import type { RootId, ServerPacket, TreeEvent } from "@colloquy/schema";
import { demand } from "./broken.ts";
import type { Chance } from "./world/chance.ts";
import { LiveOrder } from "./watches/live-order.ts";
import type { Network } from "./world/network.ts";
import { ProjectPage } from "./project-page.ts";
import { Life, type Schedule } from "./world/schedule.ts";
import type { Site } from "./world/site.ts";

/** Somebody who only reads, over server-sent events. */
export class Reader {
  readonly #name: string;
  readonly #site: Site;
  readonly #schedule: Schedule;
  readonly #network: Network;
  readonly #chance: Chance;
  readonly #page: Life;
  readonly #feeds = new Map<RootId, { readonly feed: EventFeed; seq: number }>();
  readonly #project: ProjectPage;
  /** What was heard of the last commit, which may be told again. */
  #heard = { pos: 0, packets: new Set<string>() };

  constructor(name: string, site: Site, schedule: Schedule, network: Network, chance: Chance) {
    this.#name = name;
    this.#site = site;
    this.#schedule = schedule;
    this.#network = network;
    this.#chance = chance;
    this.#page = new Life(name);
    this.#project = new ProjectPage(name, site.ledger);
    this.#follow(`/api/projects/${site.id}/stream`, undefined, {
      opened: (isWhole) => isWhole || this.#project.begins(0),
      packet: (packet) => this.#hearProject(packet),
      lost: () => undefined,
    });
  }

  /** Trees, and the project. */
  get watching(): number {
    return this.#feeds.size + 1;
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
    const order = new LiveOrder(this.#name);
    const { opened, packet } = wholeCommits((one) => this.#hear(rootId, one, order));
    const feed = this.#follow(`/api/projects/${this.#site.id}/dialogs/${rootId}/stream`, 0, {
      packet,
      opened: (isWhole) => {
        order.forget();
        opened(isWhole);
      },
      lost: () => order.forget(),
    });
    this.#feeds.set(rootId, { feed, seq: 0 });
  }

  demandUpToDate(): void {
    this.#project.demandUpToDate();
    for (const [rootId, { seq }] of this.#feeds) {
      const truth = this.#site.ledger.trees.get(rootId)?.seq;
      demand(seq === truth, "SI7", () => `${this.#name} has ${rootId} up to ${seq}, the log is at ${truth}`);
    }
  }

  #follow(path: string, after: number | undefined, listener: Omit<FeedListener, "refused">): EventFeed {
    const url = `http://simulated.invalid${path}`;
    const first = after === undefined ? url : `${url}?after=${after}`;
    return new EventFeed(
      (last, signal) =>
        this.#network.stream(
          this.#page,
          this.#name,
          last === undefined ? first : url,
          last === undefined ? {} : { "last-event-id": last },
          signal,
        ),
      { ...listener, refused: ({ message }) => demand(false, "SI6", () => `${this.#name} is refused ${path}: ${message}`) },
      { after: (ms, act) => this.#schedule.after(this.#page, ms, act), chance: this.#chance.next },
    );
  }

  #hearProject(packet: ServerPacket): void {
    if (!("projectId" in packet && "pos" in packet)) return;
    if (packet.pos !== this.#heard.pos) this.#heard = { pos: packet.pos, packets: new Set() };
    const text = JSON.stringify(packet);
    if (this.#heard.packets.has(text)) return;
    this.#heard.packets.add(text);
    this.#project.hear(packet);
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
