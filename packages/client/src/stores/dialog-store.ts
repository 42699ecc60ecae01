import type { answers, DialogId, DialogSnapshot, DialogView, Recorded, RootId, TreeNode } from "@colloquy/schema";
import { Refused } from "@colloquy/schema";
import type { z } from "zod";
import { type DialogMessage, messagesIn } from "../messages.ts";
import { Disconnected } from "../disconnected.ts";
import { PASSING } from "../transport/channel.ts";
import type { Observable } from "../observable.ts";
import type { LiveRun } from "./live-run.ts";
import type { TreeStore } from "./tree-store.ts";

/** How a dialog's store reaches its dialog. */
export interface DialogSource {
  snapshot(dialogId: string): Promise<DialogSnapshot>;
  /** A page of older events. */
  before(dialogId: string, seq: string): Promise<z.infer<typeof answers.EventList>>;
  tree(rootId: RootId): TreeStore;
  after(ms: number, act: () => void): () => void;
}

/** A dialog, main or side, as a page shows it. */
export interface DialogState {
  readonly view: DialogView | undefined;
  /** Its whole tree. */
  readonly tree: z.infer<typeof TreeNode> | undefined;
  /** The loaded events, oldest first: a main dialog has those of its whole tree. */
  readonly events: readonly Recorded[];
  /** The loaded messages of this dialog, with questions and answers, oldest first. */
  readonly messages: readonly DialogMessage[];
  readonly hasOlder: boolean;
  /** Loads the previous page; one request at a time. */
  readonly loadOlder: () => void;
  /** What is happening in the whole tree right now. */
  readonly live: readonly LiveRun[];
  readonly problem: Refused | undefined;
}

/** Before anything is loaded. */
export const NO_DIALOG: DialogState = {
  view: undefined,
  tree: undefined,
  events: [],
  messages: [],
  hasOlder: false,
  loadOlder: () => undefined,
  live: [],
  problem: undefined,
};
const RETRY_MS = 1_000;

/** One dialog: its tree's store, and its loaded history. */
export class DialogStore implements Observable<DialogState> {
  readonly #id: string;
  readonly #source: DialogSource;
  readonly #listeners = new Set<() => void>();
  #stop: (() => void) | undefined;
  #store: TreeStore | undefined;
  /** Loaded pages, up to their snapshot. */
  #pages: readonly Recorded[] = [];
  #pagesEnd = 0;
  #older: string | undefined;
  #isLoadingOlder = false;
  #problem: Refused | undefined;
  #state: DialogState = NO_DIALOG;

  constructor(id: string, source: DialogSource) {
    this.#id = id;
    this.#source = source;
  }

  get isIdle(): boolean {
    return this.#listeners.size === 0;
  }

  readonly getSnapshot = (): DialogState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    const one = () => listener();
    this.#listeners.add(one);
    if (!this.#stop) this.#start();
    return () => {
      this.#listeners.delete(one);
      if (this.#listeners.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  };

  readonly #loadOlder = (): void => {
    const from = this.#older;
    if (from === undefined || this.#isLoadingOlder) return;
    this.#isLoadingOlder = true;
    this.#source
      .before(this.#id, from)
      .then(({ events, next }) => {
        this.#pages = [...events, ...this.#pages];
        this.#older = next;
        this.#changed();
      })
      // Scrolling on retries.
      .catch(() => undefined)
      .finally(() => (this.#isLoadingOlder = false));
  };

  #start(): void {
    let stop = () => {};
    let isOver = false;
    this.#stop = () => {
      isOver = true;
      stop();
    };
    const begin = async () => {
      try {
        const store = this.#store ?? (await this.#load());
        if (isOver) return;
        this.#store = store;
        stop = store.subscribe(() => this.#changed());
        this.#changed();
      } catch (error) {
        if (isOver) return;
        if (!(error instanceof Refused) || PASSING.has(error.code)) {
          stop = this.#source.after(RETRY_MS, () => void begin());
          return;
        }
        this.#problem = error;
        this.#changed();
      }
    };
    void begin();
  }

  async #load(): Promise<TreeStore> {
    let snapshot = await this.#source.snapshot(this.#id);
    const store = this.#source.tree(snapshot.dialog.rootId);
    store.seed(snapshot);
    // A newer snapshot may have started the tree meanwhile. The events between the two are in neither, so this one is read again.
    const { since } = store.getSnapshot();
    if (snapshot.seq < since) snapshot = await this.#source.snapshot(this.#id);
    if (snapshot.seq < since) throw new Disconnected(`The server showed dialog ${this.#id} as it was earlier.`);
    this.#pages = snapshot.events;
    this.#pagesEnd = snapshot.seq;
    this.#older = snapshot.next;
    return store;
  }

  #changed(): void {
    const known = this.#store?.getSnapshot();
    const isReady = known?.status === "ready";
    const news = isReady ? known.events.filter((one) => one.seq > this.#pagesEnd && this.#fits(one)) : [];
    const before = this.#state;
    const isSame = before.events.length === this.#pages.length + news.length && before.events[0]?.seq === (this.#pages[0] ?? news[0])?.seq;
    const events = isSame ? before.events : [...this.#pages, ...news];
    this.#state = {
      view: isReady ? this.#store?.view(this.#id) : before.view,
      tree: isReady ? this.#store?.node() : before.tree,
      events,
      messages: isSame ? before.messages : messagesIn(events, this.#id),
      hasOlder: this.#older !== undefined,
      loadOlder: this.#loadOlder,
      live: known?.live ?? [],
      problem: this.#problem ?? known?.error,
    };
    for (const listener of this.#listeners) listener();
  }

  /** All events of a tree belong to its main dialog. An ask is recorded in the asker's dialog and belongs to both. */
  #fits({ dialog, event }: Recorded): boolean {
    const id = this.#id as DialogId;
    return (dialog.rootId as string) === this.#id || dialog.selfId === id || (event.type === "ask.opened" && event.to === id);
  }
}
