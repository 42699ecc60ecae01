import type { DialogId, LiveEvent, Recorded, RootId, Refused } from "@colloquy/schema";
import { Channel } from "./channel.ts";
import type { Commit } from "../commit.ts";
import { CommitAssembler, commitOf } from "./commit-assembler.ts";
import type { Connection } from "./connection.ts";
import { LiveOnce } from "./live-once.ts";

/** A subscriber to one tree. */
export interface TreeListener {
  /** Called once for each commit, in order. */
  commit(commit: Commit): void;
  /** Live output. Recorded events replace it. */
  live?(event: LiveEvent): void;
  /** Everything up to this `seq` has been delivered. Called again after each reconnect. */
  caughtUp?(seq: number): void;
  /** The connection was lost. Live output may start again from its beginning. */
  dropped?(): void;
  /** The tree does not exist or may not be seen. Nothing will be delivered. */
  refused?(error: Refused): void;
}

export interface TreeWatch {
  readonly rootId: RootId;
  /** Limits live output to this dialog. Recorded events always come from the whole tree. */
  readonly selfId?: DialogId | undefined;
  /** The last event the subscriber has; if absent, delivery starts now. */
  readonly after?: number | undefined;
  /** Only live output, without commits. */
  readonly only?: "live" | undefined;
}

interface Watcher {
  readonly isLiveOnly: boolean;
  readonly selfId: DialogId | undefined;
  readonly listener: TreeListener;
  /** The last event delivered to it; undefined until the server reports its position. */
  cursor: number | undefined;
  /** The `seq` at which it is caught up; undefined once it has been told. */
  goal: number | undefined;
  /** The server has confirmed it, so it gets live output. */
  isJoined: boolean;
  readonly live: LiveOnce;
}

/** The subscription to one tree, shared by all subscribers in this program. */
export class TreeChannel {
  readonly #rootId: RootId;
  readonly #channel: Channel;
  readonly #watchers = new Set<Watcher>();
  readonly #commits: CommitAssembler;

  constructor(rootId: RootId, connection: Connection) {
    this.#rootId = rootId;
    this.#commits = new CommitAssembler(rootId, 0);
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

  watch({ selfId, after, only }: TreeWatch, listener: TreeListener): () => void {
    const isLiveOnly = only === "live";
    const watcher: Watcher = { isLiveOnly, selfId, listener, cursor: after, goal: undefined, isJoined: false, live: new LiveOnce() };
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
    this.#commits.restart();
    for (const watcher of this.#watchers) {
      watcher.isJoined = false;
      watcher.live.forget();
      watcher.listener.dropped?.();
    }
  }

  recorded(one: Recorded): void {
    if (this.#commits.isBehind(one)) return this.#again();
    const commit = this.#commits.add(one);
    if (commit) for (const watcher of this.#watchers) this.#tell(watcher, commit);
  }

  heard(event: LiveEvent): void {
    for (const { selfId, isJoined, listener, live } of this.#watchers) {
      if (!isJoined || (selfId !== undefined && selfId !== event.dialog.selfId)) continue;
      for (const news of live.hear(event)) listener.live?.(news);
    }
  }

  #tell(watcher: Watcher, { events }: Commit): void {
    const { cursor, isLiveOnly } = watcher;
    if (isLiveOnly) return;
    // A new subscriber starts from its own position, as soon as the server has confirmed it.
    if (cursor === undefined || (events[0]?.seq ?? 0) > cursor + 1) return;
    const commit = commitOf(
      this.#rootId,
      events.filter(({ seq }) => seq > cursor),
    );
    if (!commit) return;
    for (const { dialog, event } of commit.events) watcher.live.recorded(dialog.selfId, event.type);
    watcher.cursor = commit.seq;
    watcher.listener.commit(commit);
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
    const reading = all.filter(({ isLiveOnly }) => !isLiveOnly);
    const known = reading.flatMap(({ cursor }) => cursor ?? []);
    const after = known.length === 0 ? undefined : Math.min(...known);
    const [first] = all;
    const selfId = all.every((one) => one.selfId === first?.selfId) ? first?.selfId : undefined;
    return {
      type: "subscribe" as const,
      dialog: { rootId: this.#rootId, ...(selfId !== undefined && { selfId }) },
      ...(after !== undefined && { after }),
      ...(reading.length === 0 && { only: "live" as const }),
    };
  }

  #accepted(after: number | undefined, seq: number): void {
    this.#commits.restart(after ?? seq);
    for (const watcher of this.#watchers) {
      watcher.isJoined = true;
      // Without recorded events nothing tells a repetition from a new attempt.
      if (watcher.isLiveOnly) watcher.live.forget();
      else watcher.live.repeat();
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
    this.#commits.restart();
    this.#channel.renew();
  }
}
