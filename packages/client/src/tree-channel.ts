import type { DialogId, LiveEvent, Recorded, RootId } from "@colloquy/schema";
import { Channel } from "./channel.ts";
import type { Commit } from "./commit.ts";
import type { Connection } from "./connection.ts";
import { LiveOnce } from "./live-once.ts";
import type { Refused } from "./refused.ts";

/** Somebody who watches a tree. */
export interface TreeListener {
  /** Each commit once and in order. */
  commit(commit: Commit): void;
  /** What is said right now: shown, and superseded by what is recorded. */
  live?(event: LiveEvent): void;
  /** It has everything that there was up to this `seq` when it asked. Again after each new connection. */
  caughtUp?(seq: number): void;
  /** The connection is gone: what was being said may be said again from its beginning. */
  dropped?(): void;
  /** There is no such tree, or none that one may see. Nothing will come. */
  refused?(error: Refused): void;
}

export interface TreeWatch {
  readonly rootId: RootId;
  /** Only what is said live in this dialog; recorded is always the whole tree. */
  readonly selfId?: DialogId | undefined;
  /** The last event that one has; absent: from now on. */
  readonly after?: number | undefined;
}

interface Watcher {
  readonly selfId: DialogId | undefined;
  readonly listener: TreeListener;
  /** The last event that it has; undefined until the server says where it stands. */
  cursor: number | undefined;
  /** Where it is caught up; undefined when it has been told. */
  goal: number | undefined;
  /** The server knows of it: from here on it is told what is said. */
  isJoined: boolean;
  readonly live: LiveOnce;
}

/** Everything of one tree, for all in this program who watch it. */
export class TreeChannel {
  readonly #rootId: RootId;
  readonly #channel: Channel;
  readonly #watchers = new Set<Watcher>();
  /** The last event of the last whole commit, and what has come of the next one. */
  #cursor = 0;
  #part: Recorded[] = [];

  constructor(rootId: RootId, connection: Connection) {
    this.#rootId = rootId;
    this.#channel = new Channel(connection, {
      wanted: () => this.#wanted(),
      unwanted: () => ({ type: "unsubscribe", dialog: { rootId } }),
      accepted: ({ after }, { seq }) => this.#accepted(after, seq),
      refused: (error) => this.#refused(error),
    });
  }

  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  watch({ selfId, after }: TreeWatch, listener: TreeListener): () => void {
    const watcher: Watcher = { selfId, listener, cursor: after, goal: undefined, isJoined: false, live: new LiveOnce() };
    this.#watchers.add(watcher);
    this.#channel.renew();
    return () => {
      if (this.#watchers.delete(watcher) && this.#watchers.size === 0) this.#channel.renew();
    };
  }

  opened(): void {
    this.#channel.renew();
  }

  dropped(): void {
    this.#channel.dropped();
    this.#part = [];
    for (const watcher of this.#watchers) {
      watcher.isJoined = false;
      watcher.live.forget();
      watcher.listener.dropped?.();
    }
  }

  recorded(one: Recorded): void {
    const next = this.#cursor + this.#part.length + 1;
    if (one.seq < next) return; // told twice
    if (one.seq > next) return this.#again(); // something is missing
    this.#part.push(one);
    if (!one.last) return;
    const events = this.#part;
    this.#part = [];
    this.#cursor = one.seq;
    for (const watcher of this.#watchers) this.#tell(watcher, events);
  }

  heard(event: LiveEvent): void {
    for (const { selfId, isJoined, listener, live } of this.#watchers) {
      if (!isJoined || (selfId !== undefined && selfId !== event.dialog.selfId)) continue;
      for (const news of live.hear(event)) listener.live?.(news);
    }
  }

  #tell(watcher: Watcher, all: readonly Recorded[]): void {
    const { cursor } = watcher;
    // One that has just come is told from its own place on, as soon as the server knows of it.
    if (cursor === undefined || (all[0]?.seq ?? 0) > cursor + 1) return;
    const events = all.filter(({ seq }) => seq > cursor);
    const last = events.at(-1);
    if (!last) return;
    for (const { dialog, event } of events) watcher.live.recorded(dialog.selfId, event.type);
    watcher.cursor = last.seq;
    watcher.listener.commit({ rootId: this.#rootId, pos: last.pos, seq: last.seq, at: last.at, events });
    this.#caughtUp(watcher);
  }

  #caughtUp(watcher: Watcher): void {
    const { goal, cursor = 0, listener } = watcher;
    if (goal === undefined || cursor < goal) return;
    watcher.goal = undefined;
    listener.caughtUp?.(goal);
  }

  #wanted() {
    if (this.#watchers.size === 0) return undefined;
    const all = [...this.#watchers];
    const known = all.flatMap(({ cursor }) => cursor ?? []);
    const after = known.length === 0 ? undefined : Math.min(...known);
    const [first] = all;
    const selfId = all.every((one) => one.selfId === first?.selfId) ? first?.selfId : undefined;
    return {
      type: "subscribe" as const,
      dialog: { rootId: this.#rootId, ...(selfId !== undefined && { selfId }) },
      ...(after !== undefined && { after }),
    };
  }

  #accepted(after: number | undefined, seq: number): void {
    this.#cursor = after ?? seq;
    this.#part = [];
    for (const watcher of this.#watchers) {
      watcher.isJoined = true;
      watcher.live.repeat();
      watcher.cursor ??= seq;
      watcher.goal = seq;
      this.#caughtUp(watcher);
    }
  }

  #refused(error: Refused): boolean {
    const all = [...this.#watchers];
    this.#watchers.clear();
    for (const { listener } of all) listener.refused?.(error);
    return false;
  }

  #again(): void {
    this.#part = [];
    this.#channel.renew();
  }
}
