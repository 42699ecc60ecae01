import { join, relative, sep } from "node:path";
import { PROJECT_STREAM, RootId, type Status, type StreamId } from "@colloquy/schema";

/** A tree's folder, by its status. */
export const PLACES = { running: "run", completed: "done", archived: "archive" } as const satisfies Record<Status, string>;
export type StatusFolder = (typeof PLACES)[Status];

/** Where the past of a copied tree is until its folder moves to where its status says. */
export const INCOMING = "incoming";
export type TreeFolder = StatusFolder | typeof INCOMING;

/** The paths of a project's `.dialogs/`. */
export class Layout {
  /** The project's folder. */
  readonly dir: string;
  readonly dialogs: string;
  readonly gitignore: string;
  readonly lock: string;
  readonly journal: string;
  readonly index: string;

  constructor(dir: string) {
    this.dir = dir;
    this.dialogs = join(dir, ".dialogs");
    this.gitignore = join(this.dialogs, ".gitignore");
    this.lock = join(this.dialogs, "lock");
    this.journal = join(this.dialogs, "journal");
    this.index = join(this.dialogs, "index.jsonl");
    this.#places = {
      run: join(this.dialogs, "run"),
      done: join(this.dialogs, "done"),
      archive: join(this.dialogs, "archive"),
      incoming: join(this.dialogs, INCOMING),
    };
  }

  readonly #places: Readonly<Record<TreeFolder, string>>;

  /** How far a follower of the log has come. */
  cursor = (name: string): string => join(this.dialogs, `${name}.cursor.json`);

  /** For bytes that cannot be written into their course file. */
  unwritten = (stream: StreamId, course: number, at: number): string => join(this.journal, `unwritten-${stream}-${course}-${at}`);

  slot = (n: number): string => join(this.journal, `slot-${n}`);
  place = (place: TreeFolder): string => this.#places[place];

  /** A path in messages: relative to the project's folder, with slashes. */
  name = (path: string): string => relative(this.dir, path).replaceAll(sep, "/");

  /** The folder of a stream's files. */
  folder(stream: StreamId, place: TreeFolder): string {
    return stream === PROJECT_STREAM ? this.dialogs : `${this.#places[place]}${sep}${stream}`;
  }

  course(stream: StreamId, place: TreeFolder, course: number): string {
    return stream === PROJECT_STREAM ? join(this.dialogs, "project.jsonl") : `${this.folder(stream, place)}${sep}${courseName(course)}`;
  }

  snapshot(stream: StreamId, place: TreeFolder): string {
    return stream === PROJECT_STREAM ? join(this.dialogs, "project.snapshot.json") : `${this.folder(stream, place)}${sep}snapshot.json`;
  }
}

const courseName = (course: number): string => `course-${String(course).padStart(3, "0")}.jsonl`;

export const courseOf = (name: string): number | undefined => {
  const digits = /^course-(\d{3,})\.jsonl$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

export const isRootId = (name: string): name is RootId => RootId.safeParse(name).success;
