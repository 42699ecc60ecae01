import type { answers, QuestionView, RootId, TaskView } from "@colloquy/schema";
import type { z } from "zod";
import type { Api } from "../api.ts";
import { type Observable, Observed } from "../observable.ts";
import type { ProjectListener } from "../transport/project-channel.ts";
import type { TreeListener, TreeWatch } from "../transport/tree-channel.ts";
import { combined } from "./combined.ts";
import { DialogStore } from "./dialog-store.ts";
import type { Notice } from "./notice-list.ts";
import { ProjectStore } from "./project-store.ts";
import type { Questions } from "./question-list.ts";
import { TreeStore } from "./tree-store.ts";

export type ProjectRow = z.infer<typeof answers.ProjectRow>;

/** Something of one of several projects. */
export type InProject<Thing> = Thing & { readonly projectId: string };

export interface AllQuestions {
  /** Undefined until every project's are loaded. */
  readonly open: readonly InProject<QuestionView>[] | undefined;
  readonly closed: readonly InProject<QuestionView>[];
  readonly writers: Questions["writers"];
}

/** How stores reach a server. */
export interface StoreSource {
  /** For a project, or for routes without one. */
  readonly api: (projectId?: string) => Api;
  readonly watchProject: (projectId: string, listener: ProjectListener) => () => void;
  readonly watchTree: (projectId: string | undefined, watch: TreeWatch, listener: TreeListener) => () => void;
  /** Calls the listener whenever the connection opens again. Returns an unsubscribe function. */
  readonly onOpen: (listener: () => void) => () => void;
  readonly after: (ms: number, act: () => void) => () => void;
  readonly now: () => number;
}

/** Dialogs without watchers are kept, in case somebody returns. */
const MAX_KEPT_DIALOGS = 20;
/** The newest events that come with a dialog, and the page size of older ones. */
const PAGE_EVENTS = 400;

/** What pages show of a server: each thing once, for all watchers. */
export class Stores {
  readonly #source: StoreSource;
  readonly #projects = new Map<string, ProjectStore>();
  readonly #dialogs = new Map<string, DialogStore>();
  readonly #trees = new Map<string, TreeStore>();

  /** The served projects. Undefined until loaded. */
  readonly projects: Observable<readonly ProjectRow[] | undefined>;
  readonly questions: Observable<AllQuestions>;
  /** Newest first; undefined until every project's are loaded. */
  readonly notices: Observable<readonly InProject<Notice>[] | undefined>;
  readonly tasks: Observable<readonly InProject<TaskView>[]>;

  constructor(source: StoreSource) {
    this.#source = source;
    this.projects = projectsOf(source);
    this.questions = combined(this.projects, (id) => this.project(id).questions, allQuestions);
    this.notices = combined(this.projects, (id) => this.project(id).notices, allNotices);
    this.tasks = combined(
      this.projects,
      (id) => this.project(id).tasks,
      (all) => all.flatMap(([id, { tasks = [] }]) => inProject(id, tasks)),
    );
  }

  project(projectId: string): ProjectStore {
    const { api, watchProject, after, now, onOpen } = this.#source;
    const known = this.#projects.get(projectId);
    if (known) return known;
    const store = new ProjectStore(projectId, {
      api: api(projectId),
      watch: (listener) => watchProject(projectId, listener),
      after,
      now,
      onOpen,
    });
    this.#projects.set(projectId, store);
    return store;
  }

  /** Without a project: of the only one that is served. */
  dialog(projectId: string | undefined, dialogId: string): DialogStore {
    const key = `${projectId ?? ""} ${dialogId}`;
    const { after } = this.#source;
    const { dialogs } = this.#source.api(projectId);
    const store =
      this.#dialogs.get(key) ??
      new DialogStore(dialogId, {
        snapshot: (id) => dialogs.snapshot(id, { limit: PAGE_EVENTS }),
        before: (id, seq) => dialogs.events(id, { before: Number(seq), limit: PAGE_EVENTS }),
        tree: (rootId) => this.tree(projectId, rootId),
        after,
      });
    // Moves it to the end: the least recently used comes first.
    this.#dialogs.delete(key);
    this.#dialogs.set(key, store);
    forgetIdle(this.#dialogs);
    return store;
  }

  /** Without a project: of the only one that is served. */
  tree(projectId: string | undefined, rootId: RootId): TreeStore {
    const key = `${projectId ?? ""} ${rootId}`;
    const { watchTree, after, now } = this.#source;
    const { dialogs } = this.#source.api(projectId);
    const store =
      this.#trees.get(key) ??
      new TreeStore(rootId, {
        snapshot: (id) => dialogs.snapshot(id, { limit: 1 }),
        watch: (watch, listener) => watchTree(projectId, watch, listener),
        after,
        now,
      });
    this.#trees.delete(key);
    this.#trees.set(key, store);
    forgetIdle(this.#trees);
    return store;
  }
}

/** The last entry was used last. */
function forgetIdle(stores: Map<string, { readonly isIdle: boolean }>): void {
  const idle = [...stores].filter(([, { isIdle }]) => isIdle);
  for (const [key] of idle.slice(0, Math.max(0, idle.length - MAX_KEPT_DIALOGS))) stores.delete(key);
}

const inProject = <Thing extends object>(projectId: string, things: readonly Thing[]): readonly InProject<Thing>[] =>
  things.map((thing) => ({ ...thing, projectId }));

const allQuestions = (all: readonly (readonly [string, Questions])[], isWhole: boolean): AllQuestions => ({
  open: isWhole && all.every(([, { open }]) => open !== undefined) ? all.flatMap(([id, { open = [] }]) => inProject(id, open)) : undefined,
  closed: all.flatMap(([id, { closed }]) => inProject(id, closed)),
  writers: Object.assign({}, ...all.map(([, { writers }]) => writers)) as Questions["writers"],
});

const allNotices = (all: readonly (readonly [string, readonly Notice[] | undefined])[], isWhole: boolean) =>
  isWhole && all.every(([, notices]) => notices !== undefined)
    ? all.flatMap(([id, notices = []]) => inProject(id, notices)).toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
    : undefined;

const RETRY_MS = 1_000;

/** The rows are loaded when the connection opens; their counts arrive as events. */
function projectsOf(source: StoreSource): Observable<readonly ProjectRow[] | undefined> {
  const rows = new Observed<readonly ProjectRow[] | undefined>(undefined);
  const watched = new Map<string, () => void>();
  let readers = 0;
  let stop = () => {};
  const load = (): void =>
    void source
      .api()
      .projects()
      .then(
        (read) => {
          if (readers === 0) return;
          rows.set(read);
          for (const { id } of read) if (!watched.has(id)) watched.set(id, source.watchProject(id, { event: hear, begins: load }));
        },
        () => void source.after(RETRY_MS, () => readers > 0 && load()),
      );
  const hear: ProjectListener["event"] = (event) => {
    if (event.type !== "project.updated") return;
    const { projectId, questions, running } = event;
    rows.set(rows.getSnapshot()?.map((row) => (row.id === projectId ? { ...row, questions, running } : row)));
  };
  return {
    getSnapshot: rows.getSnapshot,
    subscribe: (listener) => {
      const leave = rows.subscribe(listener);
      if (++readers === 1) {
        stop = source.onOpen(load);
        load();
      }
      return () => {
        leave();
        if (--readers > 0) return;
        stop();
        for (const end of watched.values()) end();
        watched.clear();
      };
    },
  };
}
