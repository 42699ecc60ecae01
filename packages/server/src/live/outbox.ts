import type { LiveEvent } from "@colloquy/schema";
import { type Format, Frame } from "./frame.ts";

interface Item {
  /** Recorded and project-wide events have a position; readers past it do not get them again. */
  readonly cursor: number | undefined;
  /** The dialog of live text, for readers of a single dialog. */
  readonly selfId: string | undefined;
  /** Live text of another node. */
  readonly isFar: boolean;
  frame: Frame;
}

interface Reader {
  readonly outlet: { readonly format: Format; readonly isNode?: boolean };
  readonly cursor: number;
  readonly selfId: string | undefined;
}

/** Frames for all readers of a tree or project since the last flush. */
export class Outbox {
  #items: Item[] = [];
  #first: number | undefined;

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  add(frame: Frame, cursor: number): void {
    this.#items.push({ frame, cursor, selfId: undefined, isFar: false });
    this.#first ??= cursor;
  }

  /** Merges consecutive chunks of a segment. */
  live(event: LiveEvent, isFar = false): void {
    const { selfId } = event.dialog;
    const last = this.#items.at(-1);
    const before = last?.frame.packet;
    if (
      last &&
      (event.type === "saying_chunk_evt" || event.type === "thinking_chunk_evt") &&
      before?.type === event.type &&
      last.selfId === selfId &&
      last.isFar === isFar &&
      before.agent === event.agent &&
      before.genseq === event.genseq
    ) {
      last.frame = new Frame({ ...before, text: before.text + event.text });
      return;
    }
    this.#items.push({ frame: new Frame(event), cursor: undefined, selfId, isFar });
  }

  /** Empties the outbox. */
  take(): Parcel {
    const parcel = new Parcel(this.#items, this.#first);
    this.#items = [];
    this.#first = undefined;
    return parcel;
  }
}

/** The content of an outbox; its bytes are made once for each kind of reader. */
export class Parcel {
  readonly #items: readonly Item[];
  readonly #first: number | undefined;
  readonly #made = new Map<string, Buffer>();
  /** A reader's position after it. */
  readonly end: number | undefined;

  constructor(items: readonly Item[], first: number | undefined) {
    this.#items = items;
    this.#first = first;
    this.end = items.findLast(({ cursor }) => cursor !== undefined)?.cursor;
  }

  /** For a reader who has everything up to `cursor`. */
  for({ outlet: { format, isNode = false }, cursor, selfId }: Reader): Buffer {
    // Readers who are up to date share the same bytes; a reader who is ahead gets only the rest.
    const isAhead = this.#first !== undefined && cursor >= this.#first;
    const key = `${format} ${selfId ?? ""} ${isAhead ? cursor : ""} ${isNode}`;
    const made = this.#made.get(key);
    if (made) return made;
    const fitting = this.#items.filter(
      (one) =>
        (one.cursor === undefined || one.cursor > cursor) &&
        !(isNode && one.isFar) &&
        (selfId === undefined || one.selfId === undefined || one.selfId === selfId),
    );
    const bytes =
      fitting.length === 1 ? (fitting[0]?.frame.as(format) ?? EMPTY) : Buffer.concat(fitting.map(({ frame }) => frame.as(format)));
    this.#made.set(key, bytes);
    return bytes;
  }
}

const EMPTY = Buffer.alloc(0);
