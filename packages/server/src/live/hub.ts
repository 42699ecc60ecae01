import type { Committed, LiveEvent, Project } from "@colloquy/library";
import type { DialogId, Line, RootId, TreeEvent } from "@colloquy/schema";
import { Feed, type Placed } from "./feed.ts";
import { Frame } from "./frame.ts";
import { LOW_BUFFERED_BYTES, MAX_BUFFERED_BYTES, type Outlet } from "./outlet.ts";
import { Outbox } from "./outbox.ts";
import { type Pace, realPace } from "./pace.ts";
import type { Places } from "../places.ts";
import { recordedOf } from "../recorded.ts";
import { SoFar } from "./live-buffer.ts";

/** What is said comes in bursts: it goes out at most this often. */
const JOIN_MS = 20;
/** Lines of the log that are read at once for somebody who has missed them. */
const MAX_LINES = 64;

/**
 * One reader of one stream, a tree's or the project's.
 * replaying → live: it reads from the log until it has everything that was heard, and from then on gets what is heard.
 */
export interface Subscription {
  readonly outlet: Outlet;
  readonly selfId: DialogId | undefined;
  /** The last event, or commit, that it has. */
  cursor: number;
  isLive: boolean;
}

/** A stream that somebody watches. */
interface Channel {
  readonly readers: Set<Subscription>;
  readonly outbox: Outbox;
  /** The last of what was heard since somebody watches. */
  heard: number;
}

const PROJECT = "project";
type Key = RootId | typeof PROJECT;

/** Tells all who watch a project: what is recorded, what is said right now, what concerns the whole project. */
export class Hub {
  readonly #project: Project;
  readonly #feed: Feed;
  readonly #soFar = new SoFar();
  readonly #channels = new Map<Key, Channel>();
  readonly #full = new Set<Channel>();
  readonly #present = new Map<Outlet, Frame>();
  readonly #report: (error: unknown) => void;
  readonly #stops: readonly (() => void)[];
  readonly #pace: Pace;
  /** Each is the way to call it off. */
  #later: (() => void) | undefined;
  #soon: (() => void) | undefined;
  #flushedAt = 0;

  constructor(projectId: string, project: Project, places: Places, report: (error: unknown) => void, pace: Pace = realPace) {
    this.#pace = pace;
    this.#project = project;
    this.#report = report;
    this.#feed = new Feed(projectId, project, places, (frames) => this.#recorded(PROJECT, frames), report);
    this.#stops = [project.onCommit((committed) => this.committed(committed)), project.onLive((event) => this.#live(event))];
  }

  committed(committed: Committed): void {
    for (const { stream, line } of committed.lines) {
      if (stream !== PROJECT) this.#committed(stream, line as Line<TreeEvent>);
    }
    this.#feed.committed(committed);
  }

  /** In the server's own time. Returns the way to call it off. */
  later(ms: number, work: () => void): () => void {
    return this.#pace.later(ms, work);
  }

  /** How far the project is: a subscription from here on misses nothing. */
  get pos(): number {
    return this.#feed.pos;
  }

  /** Answers that are being streamed; each ends when it is called. */
  readonly streams = new Set<() => void>();

  get readers(): number {
    return [...this.#channels.values()].reduce((sum, { readers }) => sum + readers.size, 0);
  }

  /** Everything of a tree after a `seq`. Returns the way to end it. */
  watchTree(rootId: RootId, selfId: DialogId | undefined, after: number, outlet: Outlet): () => void {
    return this.#watch(rootId, { outlet, selfId, cursor: after, isLive: false });
  }

  /** Throws when what came after this `pos` can no longer be told. */
  demand(after: number): void {
    this.#feed.demand(after);
  }

  /** What concerns the whole project after a `pos`. */
  watchProject(after: number, outlet: Outlet): () => void {
    this.#feed.demand(after);
    return this.#watch(PROJECT, { outlet, selfId: undefined, cursor: after, isLive: false });
  }

  /** What somebody has open, or that they left: told to all who watch the project but themselves, and to who comes later. Never stored. */
  present(frame: Frame | undefined, gone: Frame, who: Outlet): void {
    if (frame) this.#present.set(who, frame);
    else this.#present.delete(who);
    this.#tell(frame ?? gone, who);
  }

  #tell(frame: Frame, but: Outlet): void {
    for (const { outlet } of this.#channels.get(PROJECT)?.readers ?? [])
      if (outlet !== but && outlet.isOpen) outlet.write(frame.as(outlet.format));
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#flush();
    for (const end of this.streams) end();
    this.#channels.clear();
  }

  #watch(key: Key, reader: Subscription): () => void {
    const channel = this.#channels.get(key) ?? { readers: new Set(), outbox: new Outbox(), heard: 0 };
    this.#channels.set(key, channel);
    channel.readers.add(reader);
    void this.#replay(key, channel, reader).catch((error: unknown) => {
      if (!reader.outlet.isOpen) return;
      this.#report(error);
      reader.outlet.cut();
    });
    return () => {
      channel.readers.delete(reader);
      if (channel.readers.size === 0 && this.#channels.get(key) === channel) this.#channels.delete(key);
    };
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

  /** In one go with the last look: nothing is heard in between. */
  #join(key: Key, channel: Channel, reader: Subscription): void {
    if (!channel.outbox.isEmpty) this.#flush();
    reader.isLive = true;
    const frames =
      key === PROJECT
        ? [...this.#present].filter(([who]) => who !== reader.outlet).map(([, frame]) => frame)
        : this.#soFar.of(key, reader.selfId).map((event) => new Frame(event));
    const said = frames.map((frame) => frame.as(reader.outlet.format));
    if (said.length > 0) reader.outlet.write(Buffer.concat(said));
  }

  async #linesAfter(rootId: RootId, after: number): Promise<readonly Placed[]> {
    const lines = await this.#project.dialogs.events(rootId, after, MAX_LINES);
    return lines.flatMap((line) => framesOf(rootId, line));
  }

  #committed(rootId: RootId, line: Line<TreeEvent>): void {
    for (const event of line.events) {
      if (event.type === "step.ended" || event.type === "step.cut") this.#soFar.recorded(rootId, event.dialog, event.agent);
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
    if (!this.#soFar.hear(event)) return;
    const channel = this.#channels.get(event.dialog.rootId);
    if (!channel) return;
    channel.outbox.live(event);
    this.#full.add(channel);
    this.#later ??= this.#pace.later(Math.max(0, this.#flushedAt + JOIN_MS - this.#pace.nowMs()), () => this.#flush());
  }

  /** What is recorded goes out with whatever else came in this turn of the loop. */
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
        mail.post(reader.outlet, parcel.for(reader.outlet.format, reader.cursor, reader.selfId));
        if (parcel.end !== undefined) reader.cursor = Math.max(reader.cursor, parcel.end);
      }
    }
    this.#full.clear();
    mail.deliver();
  }
}

/** What goes to whom in one flush. Readers of the same things get the same bytes, put together once. */
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
