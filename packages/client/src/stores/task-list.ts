import type { TaskView } from "@colloquy/schema";
import type { Api } from "../api.ts";
import { type Observable, Observed } from "../observable.ts";
import type { ProjectEvent } from "../transport/project-channel.ts";
import type { Listing } from "./project-store.ts";

export interface Tasks {
  /** Undefined until loaded. Every task that isn't closed, oldest first, then the latest closed ones. */
  readonly tasks: readonly TaskView[] | undefined;
  /** Older closed ones exist. */
  readonly hasMore: boolean;
  /** Loads them; one request at a time. */
  readonly more: () => void;
}

/** Before anything is loaded. */
export const NO_TASKS: Tasks = { tasks: undefined, hasMore: false, more: () => undefined };

const PAGE_TASKS = 100;

/** The loaded tasks of a project. */
export class TaskList implements Listing, Observable<Tasks> {
  readonly #api: Api;
  readonly #join: (listing: Listing) => () => void;
  readonly #tasks = new Observed<Tasks>(NO_TASKS);
  #next: string | undefined;
  #isLoadingMore = false;

  constructor(api: Api, join: (listing: Listing) => () => void) {
    this.#api = api;
    this.#join = join;
  }

  readonly getSnapshot = (): Tasks => this.#tasks.getSnapshot();

  readonly subscribe = (listener: () => void): (() => void) => {
    const stops = [this.#tasks.subscribe(listener), this.#join(this)];
    return () => stops.forEach((stop) => stop());
  };

  readonly #more = (): void => {
    if (this.#next === undefined || this.#isLoadingMore) return;
    this.#isLoadingMore = true;
    this.#page(this.#next)
      .then(({ tasks, next }) => {
        this.#next = next;
        this.#set([...tasks, ...(this.getSnapshot().tasks ?? [])]);
      })
      // Scrolling on retries.
      .catch(() => undefined)
      .finally(() => (this.#isLoadingMore = false));
  };

  async load(): Promise<void> {
    const all: TaskView[] = [];
    let found = await this.#page();
    all.push(...found.tasks);
    // All tasks that aren't closed are on the first pages.
    while (found.next !== undefined && all.at(-1)?.status !== "closed") {
      found = await this.#page(found.next);
      all.push(...found.tasks);
    }
    this.#next = found.next;
    this.#set(all);
  }

  hear(event: ProjectEvent): void {
    if (event.type === "task.updated") this.#set([...(this.getSnapshot().tasks ?? []), event.task]);
  }

  #page(after?: string) {
    return this.#api.tasks.list({ order: "current", limit: PAGE_TASKS, ...(after !== undefined && { after }) });
  }

  #set(told: readonly TaskView[]): void {
    this.#tasks.set({ tasks: inOrder(told), hasMore: this.#next !== undefined, more: this.#more });
  }
}

/** Each task once, in its newest version, in the order of the list. */
function inOrder(told: readonly TaskView[]): readonly TaskView[] {
  const byId = new Map(told.map((task) => [task.id, task]));
  return [...byId.values()].toSorted((a, b) => {
    if (a.closedAt !== undefined && b.closedAt !== undefined) return b.closedAt.localeCompare(a.closedAt);
    if (a.closedAt !== undefined || b.closedAt !== undefined) return a.closedAt === undefined ? -1 : 1;
    return a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id);
  });
}
