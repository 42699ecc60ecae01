import { mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { surveyProject } from "../files/files-job.ts";
import { folded } from "../files/hidden.ts";
import { OpenFolder, OutOfReach } from "../files/open-at.ts";
import { gitPrograms } from "../protected/git-programs.ts";
import { ownCode } from "../protected/own-code.ts";
import { putRight } from "./put-right.ts";
import type { CommandRequest } from "./sandbox.ts";
import type { Spot, Survey } from "../files/survey.ts";
import { closed } from "./system-mounts.ts";

/** Folders of Colloquy's own. A command must not be the one to make them, so they are there, empty, while it runs. */
const OWN_FOLDERS = [".dialogs", "agents", "memory", "prd", "tasks"];

export interface ProjectMounts {
  /** Paths in the project that are closed. */
  readonly hidden: readonly string[];
  readonly orders: readonly string[];
  readonly finish: () => Promise<readonly string[]>;
}

/** The project's folder as a command may see it: writable, what is hidden closed, what is protected read-only. */
export async function projectMounts({ root, programs: named, callId, signal, layer }: CommandRequest): Promise<ProjectMounts> {
  const programs = [...named, ...ownCode(root), ...gitPrograms(root)];
  // On a layer a command may make what it likes: what it may not make is not applied.
  const stand = layer ? { release: () => {} } : standIns.take(root);
  const source = (path: string): string => join(layer?.merged ?? root, path);
  try {
    const before = await surveyProject(root, signal, { programs });
    const [unnamed] = before.unnamed;
    // It could not be named to the sandbox, so it could not be kept closed.
    if (unnamed !== undefined) throw new OutOfReach(`No command is run here: the name of ${JSON.stringify(unnamed)} is not valid UTF-8.`);
    const mounts = new Map<string, readonly string[]>();
    const set = ({ path, isFolder }: Spot, order: (place: string, isFolder: boolean) => readonly string[]) => {
      for (const parent of parentsOf(path)) {
        // What is closed in a read-only folder does not open the folders above it.
        const bind = before.readOnly.some((spot) => isIn(parent, spot.path)) ? "--ro-bind" : "--bind";
        if (!mounts.has(parent)) mounts.set(parent, [bind, source(parent), join(root, parent)]);
      }
      mounts.set(path, order(join(root, path), isFolder));
    };
    for (const spot of before.readOnly) set(spot, (place) => ["--ro-bind", source(spot.path), place]);
    const isTasksClosed = isForTaskdocs(root, before);
    if (isTasksClosed) set({ path: "tasks", isFolder: true }, (place) => ["--ro-bind", source("tasks"), place]);
    for (const spot of before.hidden) set(spot, closed);

    // A parent first, or it would cover what was mounted in it. Mounted on itself, it cannot be moved with what it holds.
    const inOrder = [...mounts].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return {
      hidden: before.hidden.map(({ path }) => path),
      orders: ["--bind", source(""), root, ...inOrder.flatMap(([, orders]) => orders)],
      finish: async () => {
        stand.release();
        if (layer) return [];
        // Asked again: by a link that the command made, our code may be looked for elsewhere.
        const after = [...named, ...ownCode(root), ...gitPrograms(root)];
        return putRight(root, callId, before, await surveyAfter(root, after), { isTasksClosed, programs: after });
      },
    };
  } catch (error) {
    stand.release();
    throw error;
  }
}

/** What a command did is put right even when it was stopped, and where it left too much to be looked through, at least at the top. */
async function surveyAfter(root: string, programs: readonly string[]): Promise<Survey> {
  const { signal } = new AbortController();
  try {
    return await surveyProject(root, signal, { programs });
  } catch {
    return surveyProject(root, signal, { programs, isShallow: true }); // What went wrong will be told before the next command.
  }
}

const isIn = (path: string, folder: string): boolean => folder === "" || path === folder || path.startsWith(`${folder}/`);

const parentsOf = (path: string): readonly string[] => {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
};

/** Nobody but Colloquy uses `tasks/`: it holds a Taskdoc, or nothing. Then a command makes no new one there. */
function isForTaskdocs(root: string, { hidden }: Survey): boolean {
  if (hidden.some(({ path }) => /^tasks\/[^/]+$/.test(path) && folded(path).endsWith(".tsk"))) return true;
  try {
    return readdirSync(join(root, "tasks")).length === 0;
  } catch {
    return false; // No folder: then it cannot be mounted either.
  }
}

/** Empty folders that stand in while commands run. Commands of one project share them, and the last one clears them away. */
class StandIns {
  readonly #made = new Map<string, Set<string>>();
  readonly #users = new Map<string, number>();

  take(root: string): { release(): void } {
    this.#users.set(root, (this.#users.get(root) ?? 0) + 1);
    const made = this.#made.get(root) ?? new Set();
    this.#made.set(root, made);
    OpenFolder.with(root, "", (folder) => {
      const taken = new Set(folder.entries().map(({ name }) => folded(name)));
      for (const name of OWN_FOLDERS.filter((own) => !taken.has(own))) {
        mkdirSync(folder.at(name));
        made.add(name);
      }
    });
    let isOver = false;
    return {
      release: () => {
        if (isOver) return;
        isOver = true;
        this.#release(root, made);
      },
    };
  }

  #release(root: string, made: ReadonlySet<string>): void {
    const left = (this.#users.get(root) ?? 1) - 1;
    this.#users.set(root, left);
    if (left > 0) return;
    this.#users.delete(root);
    this.#made.delete(root);
    for (const name of made) removeIfEmpty(join(root, name));
  }
}

const standIns = new StandIns();

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Somebody uses it by now, or has removed it.
    if (code !== "ENOTEMPTY" && code !== "EEXIST" && code !== "ENOENT" && code !== "ENOTDIR") throw error;
  }
}
