import { decideExpiry, decideLift, nextDeadline, openLimits, type Tree } from "@colloquy/core";
import { type RootId, shortId, type TreeEvent } from "@colloquy/schema";
import type { ProjectContext } from "../engine/project-context.ts";
import type { DayGate } from "./day-gate.ts";
import { Deadlines } from "./deadlines.ts";
import { LimitWatch } from "./limit-watch.ts";
import type { ProjectStream } from "./project-stream.ts";

interface TreeWatchParts {
  readonly project: ProjectStream;
  readonly dayGate: DayGate;
  readonly drives: boolean;
}

/** Moves trees without a command: when a deadline passes, and when the settings raise a limit that was reached. */
export class TreeWatch {
  readonly #context: ProjectContext;
  readonly #project: ProjectStream;
  readonly #dayGate: DayGate;
  readonly #drives: boolean;
  readonly #deadlines: Deadlines;
  readonly #limits: LimitWatch;

  constructor(context: ProjectContext, { project, dayGate, drives }: TreeWatchParts) {
    const { deps, closing } = context;
    this.#context = context;
    this.#project = project;
    this.#dayGate = dayGate;
    this.#drives = drives;
    this.#deadlines = new Deadlines(deps.clock, (rootId) => void this.#expire(rootId));
    this.#limits = new LimitWatch(deps.clock, closing, {
      refresh: () => deps.refresh(),
      lift: (rootId) => this.#lift(rootId),
      report: (error, rootId) => deps.report(error, `dialog ${shortId(rootId)}`),
    });
  }

  /** Watches the trees whose deadlines pass while the process runs. */
  watchDeadlines(): void {
    const { store } = this.#context.deps;
    for (const rootId of store.timed()) this.#deadlines.set(rootId, store.entry(rootId)?.due);
  }

  /** Watches the trees that the index lists with a limit question; those that the settings allow by now resume. */
  async watchLimits(): Promise<void> {
    const { store } = this.#context.deps;
    for (const rootId of store.asking()) if (store.entry(rootId)?.questions?.some(({ kind }) => kind === "limit")) this.#limits.add(rootId);
    await this.#limits.changed();
  }

  /** The settings have changed: limits may have room for waiting work. */
  async limitsChanged(): Promise<void> {
    if (!this.#drives || this.#context.closing.aborted) return;
    this.#dayGate.release();
    await this.#limits.changed();
  }

  committed(events: readonly TreeEvent[], after: Tree): void {
    if (this.#drives && events.some((event) => event.type === "question.asked" && event.limit !== undefined))
      this.#limits.add(after.rootId);
    this.#deadlines.set(after.rootId, nextDeadline(after));
  }

  /** Another node committed to a tree that is not in memory: reads its deadline and limits from the index. */
  indexed(rootId: RootId): void {
    const { store } = this.#context.deps;
    if (!this.#drives) return;
    const entry = store.entry(rootId);
    this.#deadlines.set(rootId, entry?.due);
    if (entry?.questions?.some(({ kind }) => kind === "limit")) this.#limits.add(rootId);
  }

  close(): void {
    this.#deadlines.close();
    this.#dayGate.close();
  }

  async #lift(rootId: RootId): Promise<boolean> {
    const { rulebook, trees, writer } = this.#context;
    const outcome = await writer.record(rootId, (tree) => decideLift(tree, this.#project.state.day, rulebook.rules()));
    if (!outcome.ok) return false;
    return (await trees.look(rootId, ({ state }) => openLimits(state).length > 0)) ?? false;
  }

  async #expire(rootId: RootId): Promise<void> {
    const { deps, rulebook, trees, writer } = this.#context;
    try {
      const outcome = await writer.record(rootId, (tree) => decideExpiry(tree, rulebook.rules()));
      // Nothing has expired: the clock was set back after the timer fired.
      if (outcome.ok && outcome.events.length === 0)
        await trees.look(rootId, ({ state }) => this.#deadlines.set(rootId, nextDeadline(state)));
    } catch (error) {
      deps.report(error, `dialog ${shortId(rootId)}`);
    }
  }
}
