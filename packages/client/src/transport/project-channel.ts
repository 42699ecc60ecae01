import type { ServerPacket, ServerPacketOf, Refused } from "@colloquy/schema";
import { Channel } from "./channel.ts";
import type { Connection } from "./connection.ts";
import { ProjectPlace } from "./project-place.ts";

/** An event of the whole project, with the `pos` of its commit. */
export type ProjectEvent = Extract<ServerPacket, { readonly pos: number; readonly projectId: string }>;
export type Presence = ServerPacketOf<"presence">;

/** A subscriber to a project. */
export interface ProjectListener {
  /** Called once for each event, in commit order. */
  event(event: ProjectEvent): void;
  /**
   * Nothing after this `pos` is missed: read the lists now. Called when the subscription begins, and again if too much was missed to be
   * replayed.
   */
  begins?(pos: number): void;
  /** What another person has open. */
  presence?(presence: Presence): void;
  refused?(error: Refused): void;
}

export interface ProjectWatch {
  /** The last `pos` that was received completely; if absent, delivery starts now. */
  readonly after?: number | undefined;
  /** Only presence, without events. */
  readonly only?: "live" | undefined;
}

interface Watcher {
  readonly isLiveOnly: boolean;
  readonly listener: ProjectListener;
  readonly place: ProjectPlace;
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

  watch({ after, only }: ProjectWatch, listener: ProjectListener): () => void {
    const watcher: Watcher = { isLiveOnly: only === "live", listener, place: new ProjectPlace(after) };
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
    for (const { listener, place, isLiveOnly } of this.#watchers) if (!isLiveOnly && place.reach(event)) listener.event(event);
  }

  present(presence: Presence): void {
    for (const { listener } of this.#watchers) listener.presence?.(presence);
  }

  #wanted(named: { readonly project: string } | false) {
    if (this.#watchers.size === 0) return undefined;
    const reading = [...this.#watchers].filter(({ isLiveOnly }) => !isLiveOnly);
    if (reading.length === 0) return { type: "subscribe" as const, ...named, only: "live" as const };
    const ends = reading.flatMap(({ place }) => place.complete ?? []);
    return { type: "subscribe" as const, ...named, ...(ends.length > 0 && { after: Math.min(...ends) }) };
  }

  #accepted(pos: number): void {
    for (const { listener, place } of this.#watchers) {
      if (place.complete !== undefined) continue;
      place.restart(pos);
      listener.begins?.(pos);
    }
  }

  #refused(error: Refused): boolean {
    const all = [...this.#watchers];
    if (error.code === "too_far_behind") {
      for (const { place } of all) place.restart(undefined);
      return true;
    }
    this.#watchers.clear();
    for (const { listener } of all) listener.refused?.(error);
    return false;
  }
}
