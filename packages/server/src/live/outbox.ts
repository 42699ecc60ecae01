import type { LiveEvent } from "@colloquy/schema";
import { type Format, Frame } from "./frame.ts";

interface Item {
  /** Recorded events and project-wide ones have a place: whoever is past it does not get them again. */
  readonly cursor: number | undefined;
  /** The dialog in which it is said, for those who watch only one. */
  readonly selfId: string | undefined;
  frame: Frame;
}

/** What is to be told to all who watch one tree, or a project, since they were last told. */
export class Outbox {
  #items: Item[] = [];
  #first: number | undefined;

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  add(frame: Frame, cursor: number): void {
    this.#items.push({ frame, cursor, selfId: undefined });
    this.#first ??= cursor;
  }

  /** Chunks that follow each other in a segment become one. */
  live(event: LiveEvent): void {
    const { selfId } = event.dialog;
    const last = this.#items.at(-1);
    const before = last?.frame.packet;
    if (
      last &&
      (event.type === "saying_chunk_evt" || event.type === "thinking_chunk_evt") &&
      before?.type === event.type &&
      last.selfId === selfId &&
      before.agent === event.agent &&
      before.genseq === event.genseq
    ) {
      last.frame = new Frame({ ...before, text: before.text + event.text });
      return;
    }
    this.#items.push({ frame: new Frame(event), cursor: undefined, selfId });
  }

  /** Takes everything out. */
  take(): Parcel {
    const parcel = new Parcel(this.#items, this.#first);
    this.#items = [];
    this.#first = undefined;
    return parcel;
  }
}

/** What was in an outbox; its bytes are made once for each kind of reader. */
export class Parcel {
  readonly #items: readonly Item[];
  readonly #first: number | undefined;
  readonly #made = new Map<string, Buffer>();
  /** Where a reader is who has had it. */
  readonly end: number | undefined;

  constructor(items: readonly Item[], first: number | undefined) {
    this.#items = items;
    this.#first = first;
    this.end = items.findLast(({ cursor }) => cursor !== undefined)?.cursor;
  }

  /** For a reader who has had everything up to `cursor`. */
  for(format: Format, cursor: number, selfId: string | undefined): Buffer {
    // Readers who are up to date share the same bytes; one who has read ahead gets only the rest.
    const isAhead = this.#first !== undefined && cursor >= this.#first;
    const key = `${format} ${selfId ?? ""} ${isAhead ? cursor : ""}`;
    const made = this.#made.get(key);
    if (made) return made;
    const fitting = this.#items.filter(
      (one) =>
        (one.cursor === undefined || one.cursor > cursor) && (selfId === undefined || one.selfId === undefined || one.selfId === selfId),
    );
    const bytes =
      fitting.length === 1 ? (fitting[0]?.frame.as(format) ?? EMPTY) : Buffer.concat(fitting.map(({ frame }) => frame.as(format)));
    this.#made.set(key, bytes);
    return bytes;
  }
}

const EMPTY = Buffer.alloc(0);
