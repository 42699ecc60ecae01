import type { Presence } from "@colloquy/client";
import type { Committed, LiveEvent, Project } from "@colloquy/library";
import type { DialogId, Line, RootId, TreeEvent } from "@colloquy/schema";
import { Feed, type FeedSource, type Placed } from "./feed.ts";
import { Frame } from "./frame.ts";
import { LOW_BUFFERED_BYTES, MAX_BUFFERED_BYTES, type Outlet } from "./outlet.ts";
import { Outbox } from "./outbox.ts";
import { type Pace, realPace } from "./pace.ts";
import { Peers } from "./peers.ts";
import { recordedOf } from "../recorded.ts";
import { SoFar } from "./live-buffer.ts";

/** Live text comes in bursts and is sent at most this often. */
const JOIN_MS = 20;
/** Log lines per read while replaying. */
const MAX_LINES = 64;

/**
 * One reader of one stream, a tree's or the project's.
 * replaying → live: it reads the log until it has caught up with the commits heard so far; then commits go to it directly.
 */
export interface Subscription {
  readonly outlet: Outlet;
  readonly selfId: DialogId | undefined;
  /** The last event, or commit, that it was sent. */
  cursor: number;
  isLive: boolean;
}

/** A stream with at least one reader. */
interface Channel {
  readonly readers: Set<Subscription>;
  readonly outbox: Outbox;
  /** The newest position heard since the first reader came. */
  heard: number;
}

const PROJECT = "project";
type Key = RootId | typeof PROJECT;

/** These events end the pause before a failed model is retried. */
const ENDS: ReadonlySet<TreeEvent["type"]> = new Set(["turn.ended", "dialog.stopped", "course.started"]);

/** Sends readers of a project what is recorded, live text, and project-wide events. */
export class Hub {
  readonly #project: Project;
  readonly #feed: Feed;
  readonly #soFar = new SoFar();
  /** The other nodes, if the project can have some. */
  readonly #peers: Peers | undefined;
  readonly #projectId: string;
  readonly #channels = new Map<Key, Channel>();
  readonly #full = new Set<Channel>();
  readonly #present = new Map<Outlet, Frame>();
  readonly #report: (error: unknown) => void;
  readonly #stops: readonly (() => void)[];
  readonly #pace: Pace;
  /** Unsubscribe functions. */
  #later: (() => void) | undefined;
  #soon: (() => void) | undefined;
  #flushedAt = 0;

  constructor(source: FeedSource, report: (error: unknown) => void, pace: Pace = realPace) {
    const { project } = source;
    this.#pace = pace;
    this.#projectId = source.id;
    this.#peers =
      project.cluster &&
      new Peers(project.cluster, { live: (event) => this.#far(event), present: (presence) => this.#farPresence(presence), report }, pace);
    this.#project = project;
    this.#report = report;
    this.#feed = new Feed(source, (frames) => this.#recorded(PROJECT, frames), report);
    this.#stops = [project.onCommit((committed) => this.committed(committed)), project.onLive((event) => this.#live(event))];
  }

  committed(committed: Committed): void {
    for (const { stream, line } of committed.lines) {
      if (stream !== PROJECT) this.#committed(stream, line as Line<TreeEvent>);
    }
    this.#feed.committed(committed);
  }

  /** On the server's own clock. Returns an unsubscribe function. */
  later(ms: number, work: () => void): () => void {
    return this.#pace.later(ms, work);
  }

  /** The project's newest position: a subscription from here misses nothing. */
  get pos(): number {
    return this.#feed.pos;
  }

  /** Open response streams: how to end each, and whether its reader may still read. */
  readonly streams = new Map<() => void, () => boolean>();

  /** Ends the streams of readers who may no longer read. */
  look(): void {
    for (const [end, mayRead] of this.streams) if (!mayRead()) end();
  }

  get readers(): number {
    return [...this.#channels.values()].reduce((sum, { readers }) => sum + readers.size, 0);
  }

  /** Sends everything of a tree after a `seq`. Returns an unsubscribe function. */
  watchTree(rootId: RootId, selfId: DialogId | undefined, after: number, outlet: Outlet): () => void {
    return this.#watch(rootId, { outlet, selfId, cursor: after, isLive: false });
  }

  /** Sends live output of a tree, or presence in the project, without what is recorded. Returns an unsubscribe function. */
  watchLive(rootId: RootId | undefined, selfId: DialogId | undefined, outlet: Outlet): () => void {
    return this.#watch(rootId ?? PROJECT, { outlet, selfId, cursor: Infinity, isLive: false });
  }

  /** Throws if events after this `pos` can no longer be replayed. */
  demand(after: number): void {
    this.#feed.demand(after);
  }

  /** Sends project-wide events after a `pos`. */
  watchProject(after: number, outlet: Outlet): () => void {
    this.#feed.demand(after);
    return this.#watch(PROJECT, { outlet, selfId: undefined, cursor: after, isLive: false });
  }

  /** What somebody has open, or that they left. Sent to all other readers of the project, now and later; never stored. */
  present(frame: Frame | undefined, gone: Frame, who: Outlet): void {
    if (frame) this.#present.set(who, frame);
    else this.#present.delete(who);
    this.#tell(frame ?? gone, who);
  }

  #tell(frame: Frame, but: Outlet | undefined): void {
    for (const { outlet } of this.#channels.get(PROJECT)?.readers ?? [])
      if (outlet !== but && outlet.isOpen && !(outlet.isNode && !but)) outlet.write(frame.as(outlet.format));
  }

  /** Nodes may know the project by different ids. */
  #farFrame = (presence: Presence): Frame => new Frame({ ...presence, projectId: this.#projectId });

  #farPresence(presence: Presence): void {
    this.#tell(this.#farFrame(presence), undefined);
  }

  close(): void {
    this.#peers?.close();
    for (const stop of this.#stops) stop();
    this.#flush();
    for (const end of this.streams.keys()) end();
    this.#channels.clear();
  }

  #watch(key: Key, reader: Subscription): () => void {
    const channel = this.#channels.get(key) ?? { readers: new Set(), outbox: new Outbox(), heard: 0 };
    this.#channels.set(key, channel);
    channel.readers.add(reader);
    this.#readersChanged(key, channel);
    if (reader.cursor === Infinity) this.#join(key, channel, reader);
    else
      void this.#replay(key, channel, reader).catch((error: unknown) => {
        if (!reader.outlet.isOpen) return;
        this.#report(error);
        reader.outlet.cut();
      });
    return () => {
      channel.readers.delete(reader);
      this.#readersChanged(key, channel);
      if (channel.readers.size === 0 && this.#channels.get(key) === channel) this.#channels.delete(key);
    };
  }

  /** Other nodes are watched for this node's own readers. */
  #readersChanged(key: Key, { readers }: Channel): void {
    const isRead = [...readers].some(({ outlet }) => !outlet.isNode);
    if (key === PROJECT) this.#peers?.project(isRead);
    else this.#peers?.tree(key, isRead);
  }

  async #replay(key: Key, channel: Channel, reader: Subscription): Promise<void> {
    const isWanted = () => reader.outlet.isOpen && channel.readers.has(reader);
    while (isWanted()) {
      const page = key === PROJECT ? await this.#feed.after(reader.cursor) : await this.#linesAfter(key, reader.cursor);
      if (!isWanted()) return;
      const missed = page.filter(([, cursor]) => cursor > reader.cursor).map(([frame]) => frame.as(reader.outlet.format));
      if (missed.length > 0) reader.outlet.write(Buffer.concat(missed));
      reader.cursor = Math.max(reader.cursor, page.at(-1)?.[1] ?? 0);
      if (page.length === 0 && channel.heard <= reader.cursor) return this.#join(key, channel, reader);
      if (reader.outlet.buffered > LOW_BUFFERED_BYTES) await reader.outlet.drained();
    }
  }

  /** Synchronous with the last check, so no commit can arrive in between. */
  #join(key: Key, channel: Channel, reader: Subscription): void {
    if (!channel.outbox.isEmpty) this.#flush();
    reader.isLive = true;
    const { outlet, selfId } = reader;
    const peers = outlet.isNode ? undefined : this.#peers;
    const frames =
      key === PROJECT
        ? [
            ...[...this.#present].filter(([who]) => who !== outlet).map(([, frame]) => frame),
            ...(peers?.present() ?? []).map(this.#farFrame),
          ]
        : [...this.#soFar.of(key, selfId), ...(peers?.of(key, selfId) ?? [])].map((event) => new Frame(event));
    const said = frames.map((frame) => frame.as(reader.outlet.format));
    if (said.length > 0) reader.outlet.write(Buffer.concat(said));
  }

  async #linesAfter(rootId: RootId, after: number): Promise<readonly Placed[]> {
    const { lines } = await this.#project.dialogs.eventsAfter(rootId, after, MAX_LINES);
    return lines.flatMap((line) => framesOf(rootId, line));
  }

  #committed(rootId: RootId, line: Line<TreeEvent>): void {
    for (const event of line.events) {
      const isLimit = event.type === "question.asked" && event.limit !== undefined;
      if (event.type === "step.ended" || event.type === "step.cut" || isLimit) this.#soFar.recorded(rootId, event.dialog, event.agent);
      this.#peers?.recorded(rootId, event);
      if (ENDS.has(event.type)) this.#soFar.ended(rootId, event.dialog as string);
      if (ENDS.has(event.type)) this.#peers?.ended(rootId, event.dialog as string);
    }
    if (!this.#channels.has(rootId)) return;
    this.#recorded(rootId, framesOf(rootId, line));
  }

  #recorded(key: Key, frames: readonly Placed[]): void {
    const channel = this.#channels.get(key);
    if (!channel) return;
    for (const [frame, cursor] of frames) channel.outbox.add(frame, cursor);
    channel.heard = Math.max(channel.heard, frames.at(-1)?.[1] ?? 0);
    this.#full.add(channel);
    this.#flushSoon();
  }

  #live(event: LiveEvent): void {
    if (event.type === "generating_start_evt") this.#peers?.started(event);
    if (this.#soFar.hear(event)) this.#send(event, false);
  }

  /** Live output of another node. */
  #far(event: LiveEvent): void {
    this.#send(event, true);
  }

  #send(event: LiveEvent, isFar: boolean): void {
    const channel = this.#channels.get(event.dialog.rootId);
    if (!channel) return;
    channel.outbox.live(event, isFar);
    this.#full.add(channel);
    this.#later ??= this.#pace.later(Math.max(0, this.#flushedAt + JOIN_MS - this.#pace.nowMs()), () => this.#flush());
  }

  /** Recorded events go out together with others of the same turn of the event loop. */
  #flushSoon(): void {
    this.#soon ??= this.#pace.soon(() => this.#flush());
  }

  #flush(): void {
    this.#later?.();
    this.#soon?.();
    this.#later = undefined;
    this.#soon = undefined;
    this.#flushedAt = this.#pace.nowMs();
    const mail = new Mail();
    for (const channel of this.#full) {
      const parcel = channel.outbox.take();
      for (const reader of channel.readers) {
        if (!reader.isLive || !reader.outlet.isOpen) continue;
        mail.post(reader.outlet, parcel.for(reader));
        if (parcel.end !== undefined) reader.cursor = Math.max(reader.cursor, parcel.end);
      }
    }
    this.#full.clear();
    mail.deliver();
  }
}

/** The frames of one flush. Readers of the same content share bytes that are joined once. */
class Mail {
  readonly #letters = new Map<Outlet, { readonly parts: Buffer[]; key: string }>();
  readonly #numbers = new Map<Buffer, number>();

  post(outlet: Outlet, bytes: Buffer): void {
    if (bytes.length === 0) return;
    let number = this.#numbers.get(bytes);
    if (number === undefined) this.#numbers.set(bytes, (number = this.#numbers.size));
    const letter = this.#letters.get(outlet);
    if (letter) {
      letter.parts.push(bytes);
      letter.key += `,${number}`;
    } else this.#letters.set(outlet, { parts: [bytes], key: String(number) });
  }

  deliver(): void {
    const joined = new Map<string, Buffer>();
    for (const [outlet, { parts, key }] of this.#letters) {
      let bytes = joined.get(key);
      if (!bytes) joined.set(key, (bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)));
      outlet.write(bytes);
      if (outlet.buffered > MAX_BUFFERED_BYTES) outlet.cut();
    }
  }
}

const framesOf = (rootId: RootId, line: Line<TreeEvent>): readonly Placed[] =>
  recordedOf(rootId, line).map((one) => [new Frame({ type: "recorded", ...one }), one.seq] as const);
