import { mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { boundedText, MAX_SETTINGS_BYTES } from "../files/bounded-text.ts";
import { surveyProject } from "../files/files-job.ts";
import { folded } from "../files/hidden.ts";
import { OpenFolder, OutOfReach } from "../files/open-at.ts";
import { gitPrograms, learnGitPrograms, rememberRepositories } from "../protected/git-programs.ts";
import { isSettingsName, withoutKeys } from "../protected/git-keys.ts";
import { ownCode } from "../protected/own-code.ts";
import { putRight } from "./put-right.ts";
import type { CommandRequest } from "./sandbox.ts";
import type { Spot, Survey } from "../files/survey.ts";
import { closed } from "./system-mounts.ts";

/** Lower descriptors belong to the sandbox and the layer (9). */
const FIRST_FEED = 11;

/** Colloquy's own folders. A command must not create them, so they exist, empty, while it runs. */
const OWN_FOLDERS = [".dialogs", "agents", "memory", "prd", "tasks"];

export interface ProjectMounts {
  /** Closed paths in the project. */
  readonly hidden: readonly string[];
  readonly orders: readonly string[];
  /** Contents that the arguments refer to, by descriptor. */
  readonly feeds: Readonly<Record<number, string>>;
  readonly finish: () => Promise<readonly string[]>;
}

/** The project's folder as a command may see it: writable, hidden paths closed, protected ones read-only. */
export async function projectMounts(request: CommandRequest): Promise<ProjectMounts> {
  const { root, programs: named, callId, signal, layer, isReadOnly = false } = request;
  const programsNow = () => [...named, ...ownCode(root), ...gitPrograms(root)];
  // On a layer a command may create anything: forbidden paths aren't applied.
  await learnGitPrograms(root);
  const stand = layer || isReadOnly ? { release: () => {} } : standIns.take(root);
  const source = (path: string): string => join(layer?.merged ?? root, path);
  try {
    const before = await surveyWithNested(root, programsNow, signal);
    const [unnamed] = before.unnamed;
    // It couldn't be named to the sandbox, so it couldn't be kept closed.
    if (unnamed !== undefined) throw new OutOfReach(`No command is run here: the name of ${JSON.stringify(unnamed)} is not valid UTF-8.`);
    const mounts = new Map<string, readonly string[]>();
    const set = ({ path, isFolder }: Spot, order: (place: string, isFolder: boolean) => readonly string[]) => {
      for (const parent of parentsOf(path)) {
        // A closed path in a read-only folder doesn't open the folders above it.
        const bind = isReadOnly || before.readOnly.some((spot) => isIn(parent, spot.path)) ? "--ro-bind" : "--bind";
        if (!mounts.has(parent)) mounts.set(parent, [bind, source(parent), join(root, parent)]);
      }
      mounts.set(path, order(join(root, path), isFolder));
    };
    const feeds: Record<number, string> = {};
    for (const spot of before.readOnly) {
      const shown = settingsWithoutKeys(root, spot, before);
      const fd = FIRST_FEED + Object.keys(feeds).length;
      if (shown !== undefined) feeds[fd] = shown;
      set(spot, (place) => (shown === undefined ? ["--ro-bind", source(spot.path), place] : ["--ro-bind-data", String(fd), place]));
    }
    const isTasksClosed = isForTaskdocs(root, before);
    if (isTasksClosed) set({ path: "tasks", isFolder: true }, (place) => ["--ro-bind", source("tasks"), place]);
    for (const spot of before.hidden) set(spot, closed);

    // Parents first, or they would cover what was mounted inside. Mounted on itself, a folder can't be moved with its content.
    const inOrder = [...mounts].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return {
      hidden: before.hidden.map(({ path }) => path),
      orders: [isReadOnly ? "--ro-bind" : "--bind", source(""), root, ...inOrder.flatMap(([, orders]) => orders)],
      feeds,
      finish: async () => {
        stand.release();
        if (layer || isReadOnly) return [];
        // Recomputed: a link that the command made may change where our programs are found.
        const programs = programsNow();
        return putRight(root, callId, { before, after: await surveyAfter(root, programs), isTasksClosed, programs });
      },
    };
  } catch (error) {
    stand.release();
    throw error;
  }
}

/** Git's settings as a command sees them; undefined if unchanged. */
function settingsWithoutKeys(root: string, { path, isFolder }: Spot, { repositories }: Survey): string | undefined {
  if (isFolder || !isSettingsName(path) || !repositories.some((repository) => isIn(path, repository))) return undefined;
  const settings = boundedText(join(root, path), MAX_SETTINGS_BYTES) ?? "";
  const shown = withoutKeys(settings);
  return shown === settings ? undefined : shown;
}

/** Surveys again if nested repositories were found whose settings name programs of the project. */
async function surveyWithNested(root: string, programsNow: () => readonly string[], signal: AbortSignal): Promise<Survey> {
  const programs = programsNow();
  const found = await surveyProject(root, signal, { programs });
  rememberRepositories(root, found.repositories);
  await learnGitPrograms(root);
  const withNested = programsNow();
  return withNested.length === programs.length ? found : surveyProject(root, signal, { programs: withNested });
}

/** A command's changes are corrected even if it was stopped; if it left too much to survey, at least at the top. */
async function surveyAfter(root: string, programs: readonly string[]): Promise<Survey> {
  const { signal } = new AbortController();
  try {
    return await surveyProject(root, signal, { programs });
  } catch {
    return surveyProject(root, signal, { programs, isShallow: true }); // The problem is reported before the next command.
  }
}

const isIn = (path: string, folder: string): boolean => folder === "" || path === folder || path.startsWith(`${folder}/`);

const parentsOf = (path: string): readonly string[] => {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
};

/** True if only Colloquy uses `tasks/`: it holds a Taskdoc, or nothing. Then a command creates nothing there. */
function isForTaskdocs(root: string, { hidden }: Survey): boolean {
  if (hidden.some(({ path }) => /^tasks\/[^/]+$/.test(path) && folded(path).endsWith(".tsk"))) return true;
  try {
    return readdirSync(join(root, "tasks")).length === 0;
  } catch {
    return false; // Not a folder: it can't be mounted either.
  }
}

/** Empty placeholder folders while commands run. Commands of one project share them, and the last one removes them. */
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
    // In use by now, or already removed.
    if (code !== "ENOTEMPTY" && code !== "EEXIST" && code !== "ENOENT" && code !== "ENOTDIR") throw error;
  }
}
