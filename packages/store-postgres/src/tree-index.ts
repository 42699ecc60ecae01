import { type Entry, PROJECT_STREAM, type RootId, type Status, type StreamId } from "@colloquy/schema";
import type { ListQuery } from "@colloquy/store";

/** A stream's head, and its entry as JSON. */
export interface Head {
  readonly seq: number;
  readonly course: number;
  readonly entry: string | undefined;
}

type Mark = "hot" | "asking" | "timed" | "faulted";

interface Row extends Head {
  readonly status: Status | undefined;
  readonly questions: number;
}

/** All streams of a project in memory: heads, and the fields of entries that are queried. */
export class TreeIndex {
  readonly #rows = new Map<StreamId, Row>();
  readonly #marked: Readonly<Record<Mark, Set<RootId>>> = { hot: new Set(), asking: new Set(), timed: new Set(), faulted: new Set() };
  readonly #counts: Record<Status, number> = { running: 0, completed: 0, archived: 0 };
  /** Trees with an entry, oldest first. */
  readonly #order: RootId[] = [];
  /** Trees that this node drives, each with the epoch of its ownership. */
  readonly #epochs = new Map<StreamId, number>();
  openQuestions = 0;

  epochOf(stream: StreamId): number | undefined {
    return this.#epochs.get(stream);
  }

  /** Undefined if another node drives it, or none. */
  own(stream: StreamId, epoch: number | undefined): void {
    if (stream === PROJECT_STREAM) return;
    if (epoch === undefined) this.#epochs.delete(stream);
    else this.#epochs.set(stream, epoch);
  }

  /** This node drives nothing any longer. Returns the trees it drove. */
  disown(): readonly RootId[] {
    const trees = [...this.#epochs.keys()] as RootId[];
    this.#epochs.clear();
    return trees;
  }

  isHot(stream: StreamId): boolean {
    return this.#marked.hot.has(stream as RootId);
  }

  head(stream: StreamId): Head | undefined {
    return this.#rows.get(stream);
  }

  has(rootId: RootId): boolean {
    return this.#rows.get(rootId)?.entry !== undefined;
  }

  entry(rootId: RootId): Entry | undefined {
    const text = this.#rows.get(rootId)?.entry;
    return text === undefined ? undefined : (JSON.parse(text) as Entry);
  }

  /** `entry` undefined: unchanged. */
  put(stream: StreamId, { seq, course, entry }: Head): void {
    const before = this.#rows.get(stream);
    if (entry === undefined || stream === PROJECT_STREAM || entry === before?.entry) {
      const { status, questions = 0, entry: kept } = before ?? {};
      this.#rows.set(stream, { seq, course, entry: kept, status, questions });
      return;
    }
    const rootId = stream as RootId;
    const parsed = JSON.parse(entry) as Entry;
    const questions = parsed.questions?.length ?? 0;
    this.#rows.set(stream, { seq, course, entry, status: parsed.status, questions });
    if (before?.status) this.#counts[before.status] -= 1;
    this.#counts[parsed.status] += 1;
    this.openQuestions += questions - (before?.questions ?? 0);
    this.#mark("hot", rootId, parsed.hot);
    this.#mark("asking", rootId, questions > 0 || (parsed.unsettled?.length ?? 0) > 0);
    this.#mark("timed", rootId, parsed.due !== undefined);
    this.#mark("faulted", rootId, parsed.questions?.some(({ kind }) => kind === "fault") ?? false);
    if (before?.entry === undefined) this.#insert(rootId);
  }

  remove(rootId: RootId): void {
    const before = this.#rows.get(rootId);
    if (!before?.status) return; // the past of a copy to come stays
    this.#rows.delete(rootId);
    this.#epochs.delete(rootId);
    this.#counts[before.status] -= 1;
    this.openQuestions -= before.questions;
    for (const marked of Object.values(this.#marked)) marked.delete(rootId);
    this.#order.splice(this.#lowerBound(rootId), 1);
  }

  count(status?: Status): number {
    return status === undefined ? this.#order.length : this.#counts[status];
  }

  /** Newest first. */
  marked(mark: Mark): readonly RootId[] {
    return [...this.#marked[mark]].sort().reverse();
  }

  list({ status, after, limit = Infinity }: ListQuery): readonly Entry[] {
    const found: Entry[] = [];
    for (let n = (after === undefined ? this.#order.length : this.#lowerBound(after)) - 1; n >= 0 && found.length < limit; n -= 1) {
      const rootId = this.#order[n] as RootId;
      const entry = status === undefined || this.#rows.get(rootId)?.status === status ? this.entry(rootId) : undefined;
      if (entry) found.push(entry);
    }
    return found;
  }

  /** Newest first. */
  find(digits: string, limit: number): readonly RootId[] {
    const found: RootId[] = [];
    for (let n = this.#order.length - 1; n >= 0 && found.length < limit; n -= 1) {
      const rootId = this.#order[n] as RootId;
      if (rootId.startsWith(digits) || rootId.endsWith(digits)) found.push(rootId);
    }
    return found;
  }

  #mark(mark: Mark, rootId: RootId, isMarked: boolean): void {
    if (isMarked) this.#marked[mark].add(rootId);
    else this.#marked[mark].delete(rootId);
  }

  /** Ids are chronological, so this nearly always appends. */
  #insert(rootId: RootId): void {
    const last = this.#order.at(-1);
    if (last === undefined || last < rootId) this.#order.push(rootId);
    else this.#order.splice(this.#lowerBound(rootId), 0, rootId);
  }

  /** The first position whose id is not smaller. */
  #lowerBound(id: RootId): number {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#order[middle] as RootId) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
