import type { ServerPacket, ServerPacketOf } from "@colloquy/schema";
import { Channel } from "./channel.ts";
import type { Connection } from "./connection.ts";
import type { Refused } from "./refused.ts";

/** What concerns the whole project, each with the `pos` of its commit. */
export type ProjectEvent = Extract<ServerPacket, { readonly pos: number; readonly projectId: string }>;
export type Presence = ServerPacketOf<"presence">;

/** Somebody who watches a project. */
export interface ProjectListener {
  /** Each once, in the order of commits. */
  event(event: ProjectEvent): void;
  /**
   * Nothing is missed after this `pos`: read the lists now. Called when the subscription begins, and again when so much was
   * missed that it cannot be told.
   */
  begins?(pos: number): void;
  /** What somebody else has open. */
  presence?(presence: Presence): void;
  refused?(error: Refused): void;
}

export interface ProjectWatch {
  /** The last `pos` of which one has everything; absent: from now on. */
  readonly after?: number | undefined;
}

interface Watcher {
  readonly listener: ProjectListener;
  /** The last commit of which something was heard; undefined until the server says where it stands. */
  cursor: number | undefined;
  /** What was heard of that commit: it may have been cut in the middle. Undefined: all of it. */
  heard: Set<string> | undefined;
}

export class ProjectChannel {
  readonly #channel: Channel;
  readonly #watchers = new Set<Watcher>();

  constructor(project: string | undefined, connection: Connection) {
    const named = project !== undefined && { project };
    this.#channel = new Channel(connection, {
      wanted: () => this.#wanted(named),
      unwanted: () => ({ type: "unsubscribe", ...named }),
      accepted: (_, { pos = 0 }) => this.#accepted(pos),
      refused: (error) => this.#refused(error),
    });
  }

  watch({ after }: ProjectWatch, listener: ProjectListener): () => void {
    const watcher: Watcher = { listener, cursor: after, heard: undefined };
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
  }

  heard(event: ProjectEvent): void {
    const key = keyOf(event);
    for (const watcher of this.#watchers) {
      const { cursor, heard } = watcher;
      if (cursor === undefined || event.pos < cursor) continue;
      if (event.pos === cursor && (!heard || heard.has(key))) continue;
      watcher.heard = event.pos === cursor ? heard : new Set();
      watcher.heard?.add(key);
      watcher.cursor = event.pos;
      watcher.listener.event(event);
    }
  }

  present(presence: Presence): void {
    for (const { listener } of this.#watchers) listener.presence?.(presence);
  }

  #wanted(named: { readonly project: string } | false) {
    if (this.#watchers.size === 0) return undefined;
    // The last commit is asked for once more, unless one has surely all of it.
    const places = [...this.#watchers].flatMap(({ cursor, heard }) => (cursor === undefined ? [] : heard ? cursor - 1 : cursor));
    return { type: "subscribe" as const, ...named, ...(places.length > 0 && { after: Math.min(...places) }) };
  }

  #accepted(pos: number): void {
    for (const watcher of this.#watchers) {
      if (watcher.cursor !== undefined) continue;
      watcher.cursor = pos;
      watcher.listener.begins?.(pos);
    }
  }

  #refused(error: Refused): boolean {
    const all = [...this.#watchers];
    if (error.code === "too_far_behind") {
      for (const watcher of all) {
        watcher.cursor = undefined;
        watcher.heard = undefined;
      }
      return true;
    }
    this.#watchers.clear();
    for (const { listener } of all) listener.refused?.(error);
    return false;
  }
}

/** What tells the events of one commit apart. */
function keyOf(event: ProjectEvent): string {
  switch (event.type) {
    case "questions_count_update":
      return `${event.type} ${event.dialog.selfId} ${event.questionCount}`;
    case "notification.added":
      return `${event.type} ${event.notification.id}`;
    case "notification.resolved":
      return `${event.type} ${event.notificationId}`;
    case "task.updated":
      return `${event.type} ${event.task.id} ${event.task.status}`;
    case "dialog.updated":
      return `${event.type} ${event.dialog.rootId}`;
  }
}
