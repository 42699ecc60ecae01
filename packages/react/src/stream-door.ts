import type { ServerPacket } from "@colloquy/schema";
import { EventFeed, type FeedListener } from "./event-feed.ts";
import { HttpDoor } from "./http-door.ts";
import { onReturn } from "./on-return.ts";
import { wholeCommits } from "./whole-commits.ts";

type HearProject = (packet: ServerPacket | "resync") => void;

/** All who watch one project, over one stream: browsers allow few to one place. */
interface ProjectFeed {
  readonly listeners: Set<HearProject>;
  readonly end: () => void;
}

/** A door to an API without sockets, such as `handlers(project)` in Next.js: it watches by server-sent events. */
export class StreamDoor extends HttpDoor {
  readonly #projects = new Map<string, ProjectFeed>();
  readonly #feeds = new Set<EventFeed>();
  readonly #lost = new Set<object>();
  #forget: (() => void) | undefined;

  watchProject(projectId: string, hear: HearProject): () => void {
    const feed = this.#projects.get(projectId) ?? this.#openProject(projectId);
    feed.listeners.add(hear);
    return () => {
      feed.listeners.delete(hear);
      if (feed.listeners.size > 0) return;
      feed.end();
      if (this.#projects.get(projectId) === feed) this.#projects.delete(projectId);
    };
  }

  watchTree(projectId: string, rootId: string, after: number, hear: (packet: ServerPacket) => void): () => void {
    const path = `/projects/${encodeURIComponent(projectId)}/dialogs/${encodeURIComponent(rootId)}/stream`;
    return this.#watch(path, after, wholeCommits(hear));
  }

  /** Nobody can be told over HTTP. */
  present(): void {}

  /** Whoever watches after this is connected anew. */
  close(): void {
    for (const feed of this.#feeds) feed.close();
    this.#feeds.clear();
    this.#projects.clear();
    this.#lost.clear();
    this.#forget?.();
    this.#forget = undefined;
  }

  #openProject(projectId: string): ProjectFeed {
    const listeners = new Set<HearProject>();
    const tell = (packet: ServerPacket | "resync") => listeners.forEach((hear) => hear(packet));
    const end = this.#watch(`/projects/${encodeURIComponent(projectId)}/stream`, undefined, {
      opened: (isWhole) => !isWhole && tell("resync"),
      packet: tell,
    });
    const feed = { listeners, end };
    this.#projects.set(projectId, feed);
    return feed;
  }

  #watch(path: string, after: number | undefined, { opened, packet }: Pick<FeedListener, "opened" | "packet">): () => void {
    this.#forget ??= onReturn(() => this.#feeds.forEach((feed) => feed.retryNow()));
    const me = {};
    const found = () => {
      this.#lost.delete(me);
      if (this.#lost.size === 0) this.set({ state: "live" });
    };
    const feed = new EventFeed(
      (last, signal) =>
        this.fetch("GET", last === undefined && after !== undefined ? `${path}?after=${after}` : path, {
          signal,
          ...(last !== undefined && { headers: { "last-event-id": last } }),
        }),
      {
        packet,
        opened: (isWhole) => {
          found();
          if (this.connection().user === undefined) void this.#meet();
          opened(isWhole);
        },
        lost: () => {
          this.#lost.add(me);
          this.set({ state: "lost" });
        },
        refused: ({ code }) => {
          this.#lost.delete(me);
          if (code === "unauthorized") this.set({ state: "refused" });
        },
      },
    );
    this.#feeds.add(feed);
    return () => {
      feed.close();
      this.#feeds.delete(feed);
      this.#lost.delete(me);
    };
  }

  async #meet(): Promise<void> {
    const me = await this.read<{ readonly user: string; readonly role?: string }>("/me").catch(() => undefined);
    if (me) this.set({ user: me.user, role: me.role });
  }
}
