import { connect, type Client, type Presence } from "@colloquy/client";
import type { Cluster, NodeInfo } from "@colloquy/library";
import { type LiveEvent, type RootId, runKey, type TreeEvent } from "@colloquy/schema";
import { SoFar } from "./live-buffer.ts";
import type { Pace } from "./pace.ts";

/** How often the list of nodes is read while somebody reads here. */
const LOOK_MS = 1_000;

export interface PeersHost {
  live(event: LiveEvent): void;
  /** Somebody at another node opened or closed something. */
  present(presence: Presence): void;
  readonly report: (error: unknown) => void;
}

/** Another node's server. */
interface Peer {
  readonly client: Client;
  soFar: SoFar;
  /** Who reads there, by client. */
  readonly present: Map<string, Presence>;
  /** Unsubscribe functions. */
  readonly trees: Map<RootId, () => void>;
  project: (() => void) | undefined;
}

/**
 * Live output and presence of the other nodes, which are not in the log. A tree with readers here is watched at every other node: the one
 * that drives it at the moment has the output.
 */
export class Peers {
  readonly #cluster: Cluster;
  readonly #host: PeersHost;
  readonly #pace: Pace;
  readonly #peers = new Map<string, Peer>();
  /** Trees with readers here, and the newest generation recorded for each of their runs. */
  readonly #trees = new Map<RootId, Map<string, number>>();
  #isProjectRead = false;
  #isLooking = false;
  #later: (() => void) | undefined;
  #isClosed = false;

  constructor(cluster: Cluster, host: PeersHost, pace: Pace) {
    this.#cluster = cluster;
    this.#host = host;
    this.#pace = pace;
  }

  /** The first reader of a tree came, or the last one left. */
  tree(rootId: RootId, isRead: boolean): void {
    if (isRead === this.#trees.has(rootId)) return;
    if (isRead) this.#trees.set(rootId, new Map());
    else this.#trees.delete(rootId);
    for (const peer of this.#peers.values()) this.#watch(peer);
    this.#look();
  }

  /** The same for the project. */
  project(isRead: boolean): void {
    if (this.#isProjectRead === isRead) return;
    this.#isProjectRead = isRead;
    for (const peer of this.#peers.values()) this.#watch(peer);
    this.#look();
  }

  /** A recorded event makes live output obsolete, even output in transit. */
  recorded(rootId: RootId, event: TreeEvent): void {
    if (event.type !== "step.ended" && event.type !== "step.cut") return;
    this.#trees.get(rootId)?.set(runKey(event.dialog, event.agent), event.gen);
    for (const { soFar } of this.#peers.values()) soFar.recorded(rootId, event.dialog, event.agent);
  }

  /** The dialog was stopped, or a turn or course of it ended. */
  ended(rootId: RootId, selfId: string): void {
    for (const { soFar } of this.#peers.values()) soFar.ended(rootId, selfId);
  }

  /** A run generates here, or at `at`: another node's output for it is obsolete. */
  started({ dialog: { rootId, selfId }, agent }: LiveEvent, at?: Peer): void {
    for (const peer of this.#peers.values()) {
      if (peer === at) continue;
      for (const start of peer.soFar.starts(rootId)) if (start.dialog.selfId === selfId && start.agent === agent) this.#brokeOff(start);
      peer.soFar.recorded(rootId, selfId, agent);
    }
  }

  /** The generations in progress at other nodes. */
  of(rootId: RootId, selfId?: string): readonly LiveEvent[] {
    return [...this.#peers.values()].flatMap(({ soFar }) => soFar.of(rootId, selfId));
  }

  /** Who reads at other nodes. */
  present(): readonly Presence[] {
    return [...this.#peers.values()].flatMap(({ present }) => [...present.values()]);
  }

  close(): void {
    this.#isClosed = true;
    this.#later?.();
    for (const id of this.#peers.keys()) this.#drop(id);
  }

  get #isNeeded(): boolean {
    return !this.#isClosed && (this.#isProjectRead || this.#trees.size > 0);
  }

  #look(): void {
    if (!this.#isNeeded || this.#isLooking) return;
    this.#isLooking = true;
    this.#later?.();
    void this.#meet()
      .catch((error: unknown) => this.#host.report(error))
      .finally(() => {
        this.#isLooking = false;
        this.#later = this.#pace.later(LOOK_MS, () => this.#look());
      });
  }

  /** Connects to new nodes, and disconnects from those that left. */
  async #meet(): Promise<void> {
    const nodes = await this.#cluster.nodes();
    if (this.#isClosed) return;
    const self = nodes.find(({ isThis }) => isThis);
    const others = new Map(nodes.filter((node) => isReachable(node, self)).map((node) => [`${node.id} ${node.url}`, node]));
    for (const id of this.#peers.keys()) if (!others.has(id)) this.#drop(id);
    for (const [id, { url = "" }] of others) {
      if (this.#peers.has(id)) continue;
      const client = connect({ url, token: this.#cluster.secret });
      const peer: Peer = { client, soFar: new SoFar(), present: new Map(), trees: new Map(), project: undefined };
      client.state.subscribe(() => {
        if (client.state.getSnapshot().status !== "open") this.#forget(peer);
      });
      this.#peers.set(id, peer);
      this.#watch(peer);
    }
  }

  #drop(id: string): void {
    const peer = this.#peers.get(id);
    if (!peer) return;
    this.#peers.delete(id);
    this.#forget(peer);
    peer.client.close();
  }

  #watch(peer: Peer): void {
    const { client, trees } = peer;
    for (const [rootId, stop] of trees) {
      if (this.#trees.has(rootId)) continue;
      trees.delete(rootId);
      peer.soFar.forget(rootId);
      stop();
    }
    for (const rootId of this.#trees.keys()) if (!trees.has(rootId)) trees.set(rootId, this.#watchTree(peer, rootId));
    if (this.#isProjectRead)
      peer.project ??= client.watchProject(
        { only: "live" },
        { event: () => undefined, presence: (presence) => this.#heardPresence(peer, presence) },
      );
    else {
      peer.project?.();
      peer.project = undefined;
      peer.present.clear();
    }
  }

  #watchTree(peer: Peer, rootId: RootId): () => void {
    return peer.client.watchTree({ rootId, only: "live" }, { commit: () => undefined, live: (event) => this.#heard(peer, event) });
  }

  #heard(peer: Peer, event: LiveEvent): void {
    const { rootId, selfId } = event.dialog;
    const run = runKey(selfId, event.agent);
    // The log overtook it.
    if (event.genseq > 0 && event.genseq <= (this.#trees.get(rootId)?.get(run) ?? 0)) return;
    if (event.type === "generating_start_evt") this.started(event, peer);
    if (peer.soFar.hear(event)) this.#host.live(event);
  }

  #brokeOff({ dialog, agent, course, genseq }: LiveEvent): void {
    this.#host.live({
      type: "stream_error_evt",
      dialog,
      agent,
      course,
      genseq,
      message: "The node that drives the dialog cannot be reached.",
    });
  }

  #heardPresence({ present }: Peer, presence: Presence): void {
    if (presence.gone || presence.questionId === undefined) present.delete(presence.client);
    else present.set(presence.client, presence);
    this.#host.present(presence);
  }

  /** Its connection is lost: the next one sends the current state again. */
  #forget(peer: Peer): void {
    const { present, soFar } = peer;
    peer.soFar = new SoFar();
    for (const start of soFar.starts()) this.#brokeOff(start);
    for (const { type, projectId, user, client } of present.values()) this.#host.present({ type, projectId, user, client, gone: true });
    present.clear();
  }
}

/** A server that listens on loopback can be reached from its own machine only. */
function isReachable({ url, host, isThis, isAlive }: NodeInfo, self: NodeInfo | undefined): boolean {
  if (isThis || !isAlive || url === undefined || !URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return host === self?.host || !(hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127."));
}
