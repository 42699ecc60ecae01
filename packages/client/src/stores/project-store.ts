import type { answers } from "@colloquy/schema";
import type { z } from "zod";
import type { Api } from "../api.ts";
import { type Observable, Observed } from "../observable.ts";
import type { Presence, ProjectEvent, ProjectListener } from "../transport/project-channel.ts";
import { DialogList } from "./dialog-list.ts";
import { NoticeList } from "./notice-list.ts";
import { QuestionList } from "./question-list.ts";
import { TaskList } from "./task-list.ts";

/** How a project's store reaches its project. */
export interface ProjectSource {
  readonly api: Api;
  readonly watch: (listener: ProjectListener) => () => void;
  readonly after: (ms: number, act: () => void) => () => void;
  readonly now: () => number;
  /** Calls the listener whenever the connection opens again. Returns an unsubscribe function. */
  readonly onOpen: (listener: () => void) => () => void;
}

/** A part of a project that is loaded once and then updated by the server's events. */
export interface Listing {
  /** Throws if it can't be loaded now. */
  load(api: Api): Promise<void>;
  hear(event: ProjectEvent): void;
  present?(presence: Presence): void;
}

export type Settings = z.infer<typeof answers.SettingsView>;

const RETRY_MS = 1_000;
/** The subscription outlives its last reader for this long, so that changing pages loses nothing. */
const LINGER_MS = 2_000;

/** A whole project, as pages show it. Each list is loaded on first use, and then updated by the server's events. */
export class ProjectStore {
  readonly projectId: string;
  readonly #source: ProjectSource;
  readonly #joined = new Map<Listing, number>();
  readonly #loaded = new Set<Listing>();
  readonly #loading = new Map<Listing, ProjectEvent[]>();
  #stop: (() => void) | undefined;
  #cancelStop = () => {};
  #hasBegun = false;

  readonly dialogs: DialogList;
  readonly questions: QuestionList;
  readonly tasks: TaskList;
  readonly notices: NoticeList;
  readonly settings: Observable<Settings | undefined>;

  constructor(projectId: string, source: ProjectSource) {
    this.projectId = projectId;
    this.#source = source;
    this.dialogs = new DialogList(source.api, (listing) => this.#join(listing));
    this.questions = new QuestionList(source.now, (listing) => this.#join(listing));
    this.tasks = new TaskList(source.api, (listing) => this.#join(listing));
    this.notices = new NoticeList((listing) => this.#join(listing));
    this.settings = settingsOf(source);
  }

  #join(listing: Listing): () => void {
    this.#joined.set(listing, (this.#joined.get(listing) ?? 0) + 1);
    this.#cancelStop();
    this.#stop ??= this.#source.watch(this.#listener());
    if (this.#hasBegun && !this.#loaded.has(listing)) this.#load(listing);
    return () => {
      const count = (this.#joined.get(listing) ?? 1) - 1;
      if (count > 0) this.#joined.set(listing, count);
      else this.#joined.delete(listing);
      if (this.#joined.size > 0) return;
      this.#cancelStop();
      this.#cancelStop = this.#source.after(LINGER_MS, () => this.#end());
    };
  }

  #end(): void {
    if (this.#joined.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
    this.#hasBegun = false;
    this.#loaded.clear();
    this.#loading.clear();
  }

  #listener(): ProjectListener {
    return {
      // Nothing is missed from here on, so everything is loaded now.
      begins: () => {
        this.#hasBegun = true;
        this.#loaded.clear();
        this.#loading.clear();
        for (const listing of this.#joined.keys()) this.#load(listing);
      },
      event: (event) => {
        for (const listing of this.#loaded) listing.hear(event);
        for (const heard of this.#loading.values()) heard.push(event);
      },
      presence: (presence) => this.questions.present(presence),
    };
  }

  /** Events that arrive meanwhile are newer than the loaded list, or the same. */
  #load(listing: Listing): void {
    if (this.#loading.has(listing)) return;
    const heard: ProjectEvent[] = [];
    this.#loading.set(listing, heard);
    const isMine = () => this.#loading.get(listing) === heard;
    listing.load(this.#source.api).then(
      () => {
        if (!isMine()) return;
        this.#loading.delete(listing);
        this.#loaded.add(listing);
        for (const event of heard) listing.hear(event);
      },
      () => {
        if (!isMine()) return;
        this.#loading.delete(listing);
        this.#source.after(RETRY_MS, () => this.#joined.has(listing) && !this.#loaded.has(listing) && this.#load(listing));
      },
    );
  }
}

/** Settings change with files, without an event: they are reloaded when the connection opens. */
function settingsOf({ api, onOpen, after }: ProjectSource): Observable<Settings | undefined> {
  const settings = new Observed<Settings | undefined>(undefined);
  let readers = 0;
  let stop = () => {};
  const load = (): void =>
    void api.settings().then(
      (read) => settings.set(read),
      () => void after(RETRY_MS, () => readers > 0 && settings.getSnapshot() === undefined && load()),
    );
  return {
    getSnapshot: settings.getSnapshot,
    subscribe: (listener) => {
      if (++readers === 1) {
        stop = onOpen(load);
        load();
      }
      const leave = settings.subscribe(listener);
      return () => {
        leave();
        if (--readers === 0) stop();
      };
    },
  };
}
