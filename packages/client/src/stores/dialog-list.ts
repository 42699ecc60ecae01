import type { DialogRow } from "@colloquy/schema";
import type { Api } from "../api.ts";
import { type Observable, Observed } from "../observable.ts";
import type { ProjectEvent } from "../transport/project-channel.ts";
import type { Listing } from "./project-store.ts";

export interface Dialogs {
  /** Newest first; undefined until loaded. */
  readonly rows: readonly DialogRow[] | undefined;
  /** The server has older ones. */
  readonly hasMore: boolean;
  /** Loads them; one request at a time. */
  readonly more: () => void;
}

/** Before anything is loaded. */
export const NO_DIALOGS: Dialogs = { rows: undefined, hasMore: false, more: () => undefined };

const PAGE_DIALOGS = 100;

/** The loaded main dialogs of a project. */
export class DialogList implements Listing, Observable<Dialogs> {
  readonly #api: Api;
  readonly #join: (listing: Listing) => () => void;
  readonly #dialogs = new Observed<Dialogs>(NO_DIALOGS);
  #next: string | undefined;
  #isLoadingMore = false;

  constructor(api: Api, join: (listing: Listing) => () => void) {
    this.#api = api;
    this.#join = join;
  }

  readonly getSnapshot = (): Dialogs => this.#dialogs.getSnapshot();

  readonly subscribe = (listener: () => void): (() => void) => {
    const stops = [this.#dialogs.subscribe(listener), this.#join(this)];
    return () => stops.forEach((stop) => stop());
  };

  readonly #more = (): void => {
    if (this.#next === undefined || this.#isLoadingMore) return;
    this.#isLoadingMore = true;
    this.#api.dialogs
      .list({ limit: PAGE_DIALOGS, after: this.#next })
      .then(({ dialogs, next }) => {
        this.#next = next;
        this.#dialogs.set({ rows: [...(this.getSnapshot().rows ?? []), ...dialogs], hasMore: next !== undefined, more: this.#more });
      })
      // Scrolling on retries.
      .catch(() => undefined)
      .finally(() => (this.#isLoadingMore = false));
  };

  async load(): Promise<void> {
    const { dialogs, next } = await this.#api.dialogs.list({ limit: PAGE_DIALOGS });
    this.#next = next;
    this.#dialogs.set({ rows: dialogs, hasMore: next !== undefined, more: this.#more });
  }

  hear(event: ProjectEvent): void {
    const { rows = [], ...rest } = this.getSnapshot();
    if (event.type === "dialog.deleted") this.#dialogs.set({ ...rest, rows: rows.filter(({ rootId }) => rootId !== event.rootId) });
    if (event.type !== "dialog.updated") return;
    const isKnown = rows.some(({ rootId }) => rootId === event.dialog.rootId);
    const changed = isKnown ? rows.map((row) => (row.rootId === event.dialog.rootId ? event.dialog : row)) : [event.dialog, ...rows];
    this.#dialogs.set({ ...rest, rows: changed });
  }
}
