import { Client, type DialogStore, keptIn } from "@colloquy/client";
import { emptyTree, type Tree } from "@colloquy/core";
import type { RootId } from "@colloquy/schema";
import { demand } from "../broken.ts";
import type { Chance } from "./chance.ts";
import { LiveOrder } from "../watches/live-order.ts";
import type { Network } from "./network.ts";
import { ProjectPage } from "../project-page.ts";
import { Life, type Schedule } from "./schedule.ts";
import { demandDialogShown, demandListsShown } from "../shown.ts";
import type { Site } from "./site.ts";

export const URL_OF_SERVER = "http://simulated.invalid";

/** A browser's storage: it survives reloads. */
export class BrowserStorage {
  readonly #entries = new Map<string, string>();

  get length(): number {
    return this.#entries.size;
  }

  key(nth: number): string | null {
    return [...this.#entries.keys()][nth] ?? null;
  }

  getItem(key: string): string | null {
    return this.#entries.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    this.#entries.set(key, value);
  }

  removeItem(key: string): void {
    this.#entries.delete(key);
  }
}

export interface PageWorld {
  readonly schedule: Schedule;
  readonly network: Network;
  readonly chance: Chance;
  readonly storage: BrowserStorage;
  /** The server answered a command, perhaps one of an earlier page in another project. */
  readonly answered: (projectId: string, msgId: string, refusal: string | undefined) => void;
}

interface Watched {
  readonly store: DialogStore;
  readonly stop: () => void;
}

/** A page in somebody's browser. It shows what the client's stores say, and sends commands by the client's queue. */
export class Page {
  readonly life: Life;
  readonly client: Client;
  readonly #who: string;
  readonly #site: Site;
  readonly #project: ProjectPage;
  readonly #watched = new Map<string, Watched>();

  constructor(who: string, site: Site, { schedule, network, chance, storage, answered }: PageWorld) {
    this.#who = who;
    this.#site = site;
    const life = (this.life = new Life(who));
    const fetch = network.fetchOf(life, who);
    this.client = new Client({
      url: URL_OF_SERVER,
      token: who,
      projectId: site.id,
      WebSocket: network.socketsOf(life, who),
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        const { msgId } = JSON.parse(typeof init.body === "string" ? init.body : "{}") as { readonly msgId?: string };
        const text = await answer.text();
        const [, projectId = ""] = /\/projects\/(\w+)/.exec(url) ?? [];
        if (msgId !== undefined) answered(projectId, msgId, answer.status < 400 ? undefined : codeIn(text));
        return { ...answer, text: async () => text };
      },
      clock: { after: (ms, act) => schedule.after(life, ms, act), chance: chance.next, nowMs: () => schedule.nowMs },
      kept: keptIn(storage),
    });
    const project = (this.#project = new ProjectPage(who, site.ledger));
    this.client.watchProject({}, { begins: (pos) => project.begins(pos), event: (event) => project.hear(event) });
    const { stores } = this.client;
    const { dialogs, questions, tasks, notices } = stores.project(site.id);
    for (const store of [dialogs, questions, tasks, notices, stores.projects]) store.subscribe(() => undefined);
  }

  /** Trees that are listed. */
  get trees(): readonly RootId[] {
    return (
      this.client.stores
        .project(this.#site.id)
        .dialogs.getSnapshot()
        .rows?.map(({ rootId }) => rootId) ?? []
    );
  }

  get tasks(): readonly string[] {
    return (
      this.client.stores
        .project(this.#site.id)
        .tasks.getSnapshot()
        .tasks?.map(({ id }) => id) ?? []
    );
  }

  /** Opens a dialog. */
  watch(rootId: RootId): Tree {
    if (!this.#watched.has(rootId)) this.#watched.set(rootId, this.#open(rootId));
    return this.#treeOf(rootId);
  }

  /** Opens a side dialog of an open one. */
  watchSide(dialogId: string): void {
    if (this.#watched.has(dialogId)) return;
    const store = this.client.stores.dialog(this.#site.id, dialogId);
    this.#watched.set(dialogId, { store, stop: store.subscribe(() => undefined) });
  }

  unwatch(chance: Chance): void {
    const id = chance.pick([...this.#watched.keys()]);
    if (id === undefined) return;
    this.#watched.get(id)?.stop();
    this.#watched.delete(id);
  }

  close(): void {
    this.life.isOver = true;
    this.client.close();
  }

  /** What this page shows is what the log says. */
  demandUpToDate(): void {
    const { ledger, id } = this.#site;
    this.#project.demandUpToDate();
    demandListsShown(this.#who, this.client.stores, ledger, id);
    for (const [dialogId, { store }] of this.#watched) demandDialogShown(this.#who, dialogId, store.getSnapshot(), ledger);
  }

  #treeOf(rootId: RootId): Tree {
    return this.#watched.has(rootId) ? this.client.stores.tree(this.#site.id, rootId).getSnapshot().tree : emptyTree(rootId);
  }

  #open(rootId: RootId): Watched {
    const { ledger } = this.#site;
    const store = this.client.stores.dialog(this.#site.id, rootId);
    const order = new LiveOrder(this.#who);
    let seq = 0;
    const unwatch = this.client.watchTree(
      { rootId, after: 0 },
      {
        commit: ({ events, seq: first }) => {
          demand(events[0]?.seq === seq + 1, "SI6", () => `${this.#who} got ${events[0]?.seq} of ${rootId} behind ${seq}`);
          const line = ledger.lineAt(rootId, seq + 1);
          demand(
            line && JSON.stringify(line.events) === JSON.stringify(events.map(({ event }) => event)),
            "SI6",
            () => `${this.#who} got a commit of ${rootId} at ${first} that is not in the log, or not whole`,
          );
          seq += events.length;
        },
        live: (event) => order.hear(event),
        dropped: () => order.forget(),
      },
    );
    const unsubscribe = store.subscribe(() => undefined);
    return {
      store,
      stop: () => {
        unwatch();
        unsubscribe();
      },
    };
  }
}

function codeIn(text: string): string {
  try {
    return (JSON.parse(text) as { readonly error: { readonly code: string } }).error.code;
  } catch {
    return "no answer of Colloquy";
  }
}
