import type { Recorded } from "@colloquy/schema";
import type { Observable } from "../observable.ts";
import type { Clock } from "../ports.ts";
import { CommitAssembler } from "./commit-assembler.ts";
import { EventFeed, type FeedListener } from "./event-feed.ts";
import type { ProjectListener, ProjectWatch } from "./project-channel.ts";
import { ProjectPlace } from "./project-place.ts";
import { type ConnectionState, ObservedState, type Transport } from "./transport.ts";
import type { TreeListener, TreeWatch } from "./tree-channel.ts";

/** As much of `fetch` as reading a stream needs. */
export type StreamFetch = (
  url: string,
  init: {
    readonly method?: string;
    readonly headers: Record<string, string>;
    readonly body?: string | Blob;
    readonly signal?: AbortSignal;
  },
) => Promise<Response>;

export interface StreamOptions {
  /** The path before `/projects`. */
  readonly api: string;
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
  readonly fetch: StreamFetch;
  readonly clock: Clock;
  whoAmI(): Promise<{ readonly user: string; readonly role: string }>;
  /** The id of the only project that is served. */
  onlyProject(): Promise<string>;
}

/** Everybody who watches one project shares one stream: browsers allow few to one host. */
interface ProjectFeed {
  readonly listeners: Set<ProjectListener>;
  readonly place: ProjectPlace;
  isOpen: boolean;
  end: () => void;
}

/** Everything that is watched, over server-sent events: for an API without sockets, such as `handlers(project)` in Next.js. */
export class StreamTransport implements Transport {
  readonly #options: StreamOptions;
  readonly #state: ObservedState;
  readonly #projects = new Map<string | undefined, ProjectFeed>();
  readonly #feeds = new Set<EventFeed>();
  readonly #lost = new Set<object>();

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#state = new ObservedState(() => options.clock.nowMs());
  }

  get state(): Observable<ConnectionState> {
    return this.#state;
  }

  /** Each watch has its own request, so there is nothing to open. */
  open(): void {}

  /** Nobody can be told over server-sent events. */
  presence(): void {}

  retryNow(): void {
    for (const feed of this.#feeds) feed.retryNow();
  }

  close(): void {
    for (const feed of this.#feeds) feed.close();
    this.#feeds.clear();
    this.#projects.clear();
    this.#lost.clear();
    this.#state.change({ status: "closed" });
  }

  watchProject(projectId: string | undefined, _watch: ProjectWatch, listener: ProjectListener): () => void {
    const feed = this.#projects.get(projectId) ?? this.#openProject(projectId);
    feed.listeners.add(listener);
    if (feed.isOpen) queueMicrotask(() => listener.begins?.(0));
    return () => {
      feed.listeners.delete(listener);
      if (feed.listeners.size > 0) return;
      feed.end();
      if (this.#projects.get(projectId) === feed) this.#projects.delete(projectId);
    };
  }

  watchTree(projectId: string | undefined, { rootId, after, only }: TreeWatch, listener: TreeListener): () => void {
    const commits = new CommitAssembler(rootId, after);
    const query = after === undefined ? "" : `?after=${after}`;
    return this.#watch(projectId, `/dialogs/${encodeURIComponent(rootId)}/stream`, query, {
      opened: () => commits.restart(),
      packet: (packet) => {
        if (packet.type === "recorded") {
          const commit = commits.add(withoutType(packet));
          if (commit && only === undefined) listener.commit(commit);
        } else if ("genseq" in packet) listener.live?.(packet);
      },
      lost: () => listener.dropped?.(),
      refused: (error) => listener.refused?.(error),
    });
  }

  #openProject(projectId: string | undefined): ProjectFeed {
    const feed: ProjectFeed = { listeners: new Set(), place: new ProjectPlace(0), isOpen: false, end: () => undefined };
    feed.end = this.#watch(projectId, "/stream", "", {
      opened: (isWhole) => {
        feed.isOpen = true;
        if (isWhole) return;
        feed.place.restart(0);
        for (const listener of feed.listeners) listener.begins?.(0);
      },
      packet: (packet) => {
        if (!("projectId" in packet && "pos" in packet) || !feed.place.reach(packet)) return;
        for (const listener of feed.listeners) listener.event(packet);
      },
      lost: () => undefined,
      refused: (error) => feed.listeners.forEach((listener) => listener.refused?.(error)),
    });
    this.#projects.set(projectId, feed);
    return feed;
  }

  #watch(projectId: string | undefined, path: string, query: string, { opened, packet, lost, refused }: FeedListener): () => void {
    const me = {};
    const feed = new EventFeed(
      (last, signal) => this.#request(projectId, last === undefined ? path + query : path, last, signal),
      {
        packet,
        opened: (isWhole) => {
          this.#lost.delete(me);
          if (this.#lost.size === 0) this.#opened();
          opened(isWhole);
        },
        lost: () => {
          this.#lost.add(me);
          lost();
          this.#state.change({ status: "reconnecting", attempt: feed.attempt, inMs: feed.pauseMs });
        },
        refused: (error) => {
          this.#lost.delete(me);
          if (error.code === "unauthorized") this.#state.change({ status: "refused", error });
          refused(error);
        },
      },
      this.#options.clock,
    );
    this.#feeds.add(feed);
    return () => {
      feed.close();
      this.#feeds.delete(feed);
      this.#lost.delete(me);
    };
  }

  async #request(projectId: string | undefined, path: string, last: string | undefined, signal: AbortSignal): Promise<Response> {
    const { api, headers, fetch } = this.#options;
    const id = projectId ?? (await this.#options.onlyProject());
    return fetch(`${api.replace(/\/+$/, "")}/projects/${encodeURIComponent(id)}${path}`, {
      signal,
      headers: { ...headers?.(), ...(last !== undefined && { "last-event-id": last }) },
    });
  }

  #opened(): void {
    this.#state.change({ status: "open" });
    if (this.#state.getSnapshot().user !== undefined) return;
    this.#options.whoAmI().then(
      ({ user, role }) => this.#state.set({ ...this.#state.getSnapshot(), user, role }),
      () => undefined, // the next stream that opens asks again
    );
  }
}

const withoutType = ({ type: _, ...one }: Recorded & { readonly type: string }): Recorded => one;
