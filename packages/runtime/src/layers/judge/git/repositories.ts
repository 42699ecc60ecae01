import { lstatSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { ownGitFolders } from "../../../tools/protected/own-git.ts";
import type { Operation } from "../../operation.ts";
import { textOf } from "./git-files.ts";
import { GitReader, type GitView } from "./git-reader.ts";

/** The repositories in a project before a command: its own, submodules and nested ones. */
export class Repositories {
  /** The project's own, if it has one. */
  readonly own: GitReader | undefined;
  readonly #view: GitView | undefined;
  readonly #known = new Map<string, GitReader | undefined>();

  /** `view`: absent if git can't be queried. */
  constructor(view: GitView | undefined, operations: readonly Operation[]) {
    this.#view = view;
    const folders = view ? ownGitFolders(view.layer.root) : [];
    const [folder] = folders;
    const isTouched = operations.some(({ path }) => folders.some((own) => isIn(path, own) || isIn(own, path)));
    this.own = view && folder !== undefined ? new GitReader(view, { folder, place: "", isTouched }) : undefined;
    this.#known.set("", this.own);
  }

  /** The repository that a file belongs to. */
  of(path: string): GitReader | undefined {
    return this.#at(path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "");
  }

  #at(place: string): GitReader | undefined {
    if (this.#known.has(place)) return this.#known.get(place);
    const around = this.#at(place.includes("/") ? place.slice(0, place.lastIndexOf("/")) : "");
    const folder = this.#view && gitFolderOf(this.#view.layer.root, place);
    const found = this.#view && folder !== undefined ? new GitReader(this.#view, { folder, place, isTouched: false }) : around;
    this.#known.set(place, found);
    return found;
  }
}

const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** Commands change nothing in the git folder of another repository, so it is unchanged. */
function gitFolderOf(root: string, place: string): string | undefined {
  const dotGit = join(root, place, ".git");
  const stat = lstatSync(dotGit, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return `${place}/.git`;
  const named = stat?.isFile() ? /^gitdir: (.*?)\r?\n?$/s.exec(textOf(dotGit))?.[1] : undefined;
  if (named === undefined) return undefined;
  const inside = relative(root, resolve(root, place, named))
    .split(sep)
    .join("/");
  return inside === ".." || inside.startsWith("../") ? undefined : inside;
}
