import type { ServerPacket } from "@colloquy/schema";
import type { Observable } from "../observable.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { ProjectChannel, type ProjectListener, type ProjectWatch } from "./project-channel.ts";
import type { ConnectionState, OpenQuestion, Transport } from "./transport.ts";
import { TreeChannel, type TreeListener, type TreeWatch } from "./tree-channel.ts";

/** Everything that is watched, over one WebSocket. */
export class SocketTransport implements Transport {
  readonly #connection: Connection;
  readonly #trees = new Map<string, TreeChannel>();
  readonly #projects = new Map<string | undefined, ProjectChannel>();
  readonly #present = new Map<string | undefined, OpenQuestion>();

  constructor(options: Pick<ConnectionOptions, "url" | "token" | "session" | "WebSocket" | "clock" | "whoAmI">) {
    this.#connection = new Connection({
      ...options,
      opened: () => this.#opened(),
      dropped: () => this.#channels().forEach((channel) => channel.dropped()),
      heard: (packet) => this.#heard(packet),
    });
  }

  get state(): Observable<ConnectionState> {
    return this.#connection.state;
  }

  open(): void {
    this.#connection.open();
  }

  retryNow(): void {
    this.#connection.retryNow();
  }

  close(): void {
    this.#connection.close();
  }

  /** Ids are unique across projects, so the server finds a tree by its id. */
  watchTree(_projectId: string | undefined, watch: TreeWatch, listener: TreeListener): () => void {
    const { rootId } = watch;
    const channel = this.#trees.get(rootId) ?? new TreeChannel(rootId, this.#connection);
    this.#trees.set(rootId, channel);
    return channel.watch(watch, listener);
  }

  watchProject(projectId: string | undefined, watch: ProjectWatch, listener: ProjectListener): () => void {
    const channel = this.#projects.get(projectId) ?? new ProjectChannel(projectId, this.#connection);
    this.#projects.set(projectId, channel);
    return channel.watch(watch, listener);
  }

  presence(projectId: string | undefined, open: OpenQuestion): void {
    if (open.questionId === undefined) this.#present.delete(projectId);
    else this.#present.set(projectId, open);
    this.#tellPresence(projectId, open);
  }

  #tellPresence(projectId: string | undefined, open: OpenQuestion): void {
    const named = projectId !== undefined && { project: projectId };
    this.#connection.ask({ type: "presence", ...named, ...open }, { accepted: () => undefined, refused: () => undefined });
  }

  #opened(): void {
    for (const channel of this.#channels()) channel.opened();
    // A server that was restarted does not know what anybody has open.
    for (const [projectId, open] of this.#present) this.#tellPresence(projectId, open);
  }

  #channels(): readonly (TreeChannel | ProjectChannel)[] {
    for (const [rootId, channel] of this.#trees) if (!channel.isWatched) this.#trees.delete(rootId);
    return [...this.#trees.values(), ...this.#projects.values()];
  }

  #heard(packet: ServerPacket): void {
    switch (packet.type) {
      case "recorded":
        return this.#trees.get(packet.dialog.rootId)?.recorded(packet);
      case "presence":
        return this.#inProject(packet.projectId, (channel) => channel.present(packet));
      case "welcome":
      case "accepted":
      case "refused":
        return; // the connection's own
      default:
        if ("pos" in packet) this.#inProject(packet.projectId, (channel) => channel.heard(packet));
        else this.#trees.get(packet.dialog.rootId)?.heard(packet);
    }
  }

  #inProject(projectId: string, tell: (channel: ProjectChannel) => void): void {
    for (const id of [projectId, undefined]) {
      const channel = this.#projects.get(id);
      if (channel) tell(channel);
    }
  }
}
