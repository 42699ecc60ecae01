import { Client } from "@colloquy/client";
import type { RootId } from "@colloquy/schema";
import { demand } from "./broken.ts";
import type { Chance } from "./world/chance.ts";
import { LiveOrder } from "./watches/live-order.ts";
import type { Network } from "./world/network.ts";
import { URL_OF_SERVER } from "./world/page.ts";
import { ProjectPage } from "./project-page.ts";
import { Life, type Schedule } from "./world/schedule.ts";
import { demandDialogShown, demandListsShown } from "./shown.ts";
import type { Site } from "./world/site.ts";

interface ReaderWorld {
  readonly schedule: Schedule;
  readonly network: Network;
  readonly chance: Chance;
}

/** A page that only reads, over server-sent events. */
export class Reader {
  readonly #name: string;
  readonly #site: Site;
  readonly #chance: Chance;
  readonly #client: Client;
  readonly #trees = new Map<RootId, { seq: number; readonly stop: () => void }>();
  readonly #project: ProjectPage;

  constructor(name: string, site: Site, { schedule, network, chance }: ReaderWorld) {
    this.#name = name;
    this.#site = site;
    this.#chance = chance;
    const life = new Life(name);
    const ask = network.fetchOf(life, name);
    this.#client = new Client({
      api: `${URL_OF_SERVER}/api`,
      projectId: site.id,
      fetch: async (url, { method = "GET", headers, signal = new AbortController().signal, ...rest }) => {
        if (/\/stream(?:\?|$)/.test(url)) return network.stream(life, name, url, { headers, signal });
        const answer = await ask(url, { method, headers, ...rest });
        return new Response(await answer.text(), { status: answer.status });
      },
      clock: { after: (ms, act) => schedule.after(life, ms, act), chance: chance.next, nowMs: () => schedule.nowMs },
    });
    const project = (this.#project = new ProjectPage(name, site.ledger));
    this.#client.watchProject({}, { begins: (pos) => project.begins(pos), event: (event) => project.hear(event) });
    const { stores } = this.#client;
    const { dialogs, questions, tasks } = stores.project(site.id);
    for (const store of [dialogs, questions, tasks, stores.projects]) store.subscribe(() => undefined);
  }

  /** The streams of trees, twice each, and of the projects that are served. */
  get watching(): number {
    return this.#trees.size * 2 + (this.#client.stores.projects.getSnapshot()?.length ?? 1);
  }

  /** Some tree from its beginning on, or one less. */
  act(): void {
    const [some] = this.#trees.keys();
    if (some !== undefined && this.#chance.is(0.3)) {
      this.#trees.get(some)?.stop();
      this.#trees.delete(some);
      return;
    }
    const rootId = this.#chance.pick([...this.#site.ledger.trees.keys()]);
    if (rootId !== undefined) this.watch(rootId);
  }

  watchAll(): void {
    for (const rootId of this.#site.ledger.trees.keys()) this.watch(rootId);
  }

  watch(rootId: RootId): void {
    if (this.#trees.has(rootId)) return;
    const order = new LiveOrder(this.#name);
    const { ledger } = this.#site;
    const unwatch = this.#client.watchTree(
      { rootId, after: 0 },
      {
        commit: ({ events }) => {
          const watched = this.#trees.get(rootId);
          if (!watched) return;
          const line = ledger.lineAt(rootId, watched.seq + 1);
          demand(
            line && JSON.stringify(line.events) === JSON.stringify(events.map(({ event }) => event)),
            "SI6",
            () => `${this.#name} got a commit of ${rootId} behind ${watched.seq} that is not in the log, or not whole`,
          );
          watched.seq += events.length;
        },
        live: (event) => order.hear(event),
        dropped: () => order.forget(),
        refused: ({ message }) => demand(false, "SI6", () => `${this.#name} is refused ${rootId}: ${message}`),
      },
    );
    const unsubscribe = this.#client.stores.dialog(this.#site.id, rootId).subscribe(() => undefined);
    const stop = () => {
      unwatch();
      unsubscribe();
    };
    this.#trees.set(rootId, { seq: 0, stop });
  }

  demandUpToDate(): void {
    const { ledger, id } = this.#site;
    const { stores } = this.#client;
    this.#project.demandUpToDate();
    demandListsShown(this.#name, stores, ledger, id);
    for (const [rootId, { seq }] of this.#trees) {
      const truth = ledger.trees.get(rootId)?.seq;
      demand(seq === truth, "SI7", () => `${this.#name} has ${rootId} up to ${seq}, the log is at ${truth}`);
      demandDialogShown(this.#name, rootId, stores.dialog(id, rootId).getSnapshot(), ledger);
    }
  }
}
