import {
  applyToProject,
  emptyProject,
  type Project,
  projectFrom,
  projectSnapshot,
  receiptKey,
  REDUCER_VERSION,
  withoutOld,
} from "@colloquy/core";
import { Fault, PROJECT_STREAM, type ProjectEvent, type Refusal, Refused } from "@colloquy/schema";
import type { Committed, Store, StreamPart } from "@colloquy/store";
import type { Clock } from "../engine/deps.ts";

/** From this many events on, a snapshot is worth writing. */
const MAX_LINES = 1_000;

/** Events that were handed to the store, and the project before and after them. */
interface Ahead {
  readonly events: readonly ProjectEvent[];
  readonly at: number;
  readonly settled: Promise<unknown>;
  before: Project;
  after: Project;
}

/** The project's own stream in memory. Like a tree it may be ahead of the disk until `settled` resolves. */
export class ProjectStream {
  readonly #store: Store;
  readonly #clock: Clock;
  /** The durable state, other nodes' commits included, and the state with the pending commits on top. */
  state: Project = emptyProject();
  #durable: Project = emptyProject();
  #ahead: Ahead[] = [];
  /** Commits that arrived while the stream was read. */
  #toldMeanwhile: Committed[] | undefined = [];
  /** The last event of the last snapshot. */
  #savedSeq = 0;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    store.watch((committed) => (this.#toldMeanwhile ? this.#toldMeanwhile.push(committed) : this.#committed(committed)));
  }

  async load(): Promise<void> {
    const opened = await this.#store.open(PROJECT_STREAM, REDUCER_VERSION);
    let state = opened?.base ? projectFrom(opened.base) : emptyProject();
    for (const line of opened?.lines ?? []) {
      const fresh = line.events.slice(Math.max(0, state.seq - line.seq + 1)) as ProjectEvent[];
      state = fresh.reduce((folded, event) => applyToProject(folded, event, Date.parse(line.at)), state);
    }
    this.state = state;
    this.#durable = state;
    this.#savedSeq = opened?.base?.seq ?? 0;
    const told = this.#toldMeanwhile ?? [];
    this.#toldMeanwhile = undefined;
    for (const committed of told) this.#committed(committed);
  }

  /** Resolves when everything in `state` is durable. */
  get settled(): Promise<unknown> {
    return this.#ahead.at(-1)?.settled ?? Promise.resolve();
  }

  part(events: readonly ProjectEvent[]): StreamPart {
    const [first] = events;
    const commutes = events.every(({ type }) => type === "tree.created" || type === "notice.given");
    const key = first?.type === "tree.created" && first.msgId !== undefined ? receiptKey(first.by ?? "", first.msgId) : undefined;
    return { stream: PROJECT_STREAM, expected: this.state.seq, events, ...(commutes && { commutes: { key } }) };
  }

  advance(events: readonly ProjectEvent[], at: number, settled: Promise<Committed>): void {
    const ahead = { events, at, settled, before: this.state, after: folded(this.state, events, at) };
    this.#ahead.push(ahead);
    this.state = ahead.after;
    settled.catch(() => this.#retract(ahead));
    // After a crash only newer events are read, not the whole stream. The cost stays in proportion to what was added.
    if (this.state.seq - this.#savedSeq >= MAX_LINES + this.#savedSeq / 4) void this.saveSnapshot(at).catch(() => undefined); // a cache
  }

  /** Decides about the project alone, and makes it durable; decides again if another writer was first. */
  async decide<Decided extends { readonly ok: true; readonly events: readonly ProjectEvent[] }>(
    choose: (state: Project) => Decided | { readonly ok: false; readonly refusal: Refusal },
  ): Promise<Decided> {
    const decision = choose(this.state);
    if (!decision.ok) throw new Refused(decision.refusal);
    if (decision.events.length === 0) {
      await this.settled;
      return decision;
    }
    const at = this.#clock.now();
    const committed = this.#store.commit([this.part(decision.events)], at);
    this.advance(decision.events, at, committed);
    try {
      await committed;
      return decision;
    } catch (error) {
      if (error instanceof Fault && error.code === "log_conflict") return this.decide(choose);
      throw error;
    }
  }

  async saveSnapshot(nowMs: number): Promise<void> {
    if (this.#durable.seq === this.#savedSeq) return;
    this.#savedSeq = this.#durable.seq;
    await this.#store.saveSnapshot(PROJECT_STREAM, projectSnapshot(withoutOld(this.#durable, nowMs), this.#store.health().pos));
  }

  #committed({ lines, isForeign }: Committed): void {
    for (const { stream, line } of lines) {
      if (stream !== PROJECT_STREAM || line.seq <= this.#durable.seq) continue;
      const own = isForeign ? undefined : this.#ahead.shift();
      const events = line.events as readonly ProjectEvent[];
      this.#durable = own?.before === this.#durable ? own.after : folded(this.#durable, events, Date.parse(line.at));
      if (!own || own.after !== this.#durable) this.#rebase();
    }
  }

  /** The commit failed. */
  #retract(ahead: Ahead): void {
    this.#ahead = this.#ahead.filter((one) => one !== ahead);
    this.#rebase();
  }

  #rebase(): void {
    this.state = this.#durable;
    for (const ahead of this.#ahead) {
      ahead.before = this.state;
      this.state = ahead.after = folded(this.state, ahead.events, ahead.at);
    }
  }
}

const folded = (project: Project, events: readonly ProjectEvent[], at: number): Project =>
  events.reduce((state, event) => applyToProject(state, event, at), project);
