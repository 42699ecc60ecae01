import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { linkJudge } from "./hard-links.ts";
import { folded, isHidden, isInPackages } from "./hidden.ts";
import { type Facts, identityOf, kindOf, OpenFolder } from "./open-at.ts";

/** What a command must be kept away from. Paths are relative to the project, with slashes; parents come before what is in them. */
export interface Survey {
  readonly hidden: readonly Spot[];
  /** May be read, not written: the team's settings, what git obeys, and the programs that we run. */
  readonly readOnly: readonly Spot[];
  /** What has such a name, and one that is not valid text, so that it cannot be addressed. */
  readonly unnamed: readonly string[];
  /** Links with a name of either kind; what they lead to is among those. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
}

export interface Spot {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Parts of a git folder that are only data, and many. */
const GIT_DATA = new Set(["objects", "refs", "logs", "lfs", "rr-cache"]);
/** What decides which programs git starts, in a repository, its worktrees and its submodules. */
const GIT_ORDERS = new Set(["config", "config.worktree", "commondir", "gitdir"]);

/** Looks through the whole project, apart from what is in installed packages; or only at what is directly in its folder. */
export function survey(root: string, programs: readonly string[], isShallow = false): Survey {
  const looker = new Looker(root, programs, isShallow);
  OpenFolder.with(root, "", (folder) => looker.look(folder, "", false));
  return looker.end();
}

class Looker {
  readonly #root: string;
  readonly #programs: readonly string[];
  readonly #isShallow: boolean;
  readonly #unnamed: string[] = [];
  readonly #hidden: Spot[] = [];
  readonly #readOnly: Spot[] = [];
  readonly #links: { path: string; target: string }[] = [];
  readonly #linked: { readonly path: string; readonly facts: Facts }[] = [];

  constructor(root: string, programs: readonly string[], isShallow: boolean) {
    this.#root = root;
    this.#programs = programs;
    this.#isShallow = isShallow;
  }

  look(folder: OpenFolder, inside: string, isInGit: boolean): void {
    for (const { name, kind } of folder.entries()) {
      const path = inside === "" ? name : `${inside}/${name}`;
      const isFolder = kind === "folder";
      if (isHidden(path)) this.#add(this.#hidden, path, kind);
      else if (isOrder(path, name, kind, isInGit)) {
        this.#add(this.#readOnly, path, kind);
        if (isFolder) this.#enter(folder, name, path, isInGit);
      } else if (isFolder && !(isInGit && GIT_DATA.has(name)) && !isInPackages(path)) {
        this.#enter(folder, name, path, isInGit || folded(name) === ".git");
      } else if (kind === "other") {
        // Pipes and sockets lead to processes outside.
        this.#add(this.#hidden, path, kind);
      } else if (kind === "file" && !isInGit) {
        const facts = folder.facts(name);
        if (facts && facts.names > 1) this.#linked.push({ path, facts });
      }
    }
  }

  #enter(folder: OpenFolder, name: string, path: string, isInGit: boolean): void {
    if (!this.#isShallow) folder.within(name, (child) => this.look(child, path, isInGit));
  }

  end(): Survey {
    this.#addPrograms();
    const isOpen = linkJudge(this.#root);
    const protectedFiles = this.#linked.length > 0 ? this.#protectedFiles() : new Set();
    for (const { path, facts } of this.#linked) {
      if (!isOpen(facts, path)) this.#add(this.#hidden, path, "file");
      else if (protectedFiles.has(facts.identity)) this.#add(this.#readOnly, path, "file");
    }
    return { hidden: inOrder(this.#hidden), readOnly: inOrder(this.#readOnly), links: this.#links, unnamed: this.#unnamed };
  }

  /** By their paths, since installed packages are not looked through. */
  #addPrograms(): void {
    for (const path of this.#programs.filter((program) => !isHidden(program))) {
      const stat = lstatSync(join(this.#root, path), { throwIfNoEntry: false });
      if (stat) this.#add(this.#readOnly, path, kindOf(stat));
    }
  }

  /** By another name (a hard link) a protected file could still be written. */
  #protectedFiles(): ReadonlySet<string> {
    const files = this.#readOnly.filter(({ isFolder }) => !isFolder);
    const stats = files.map(({ path }) => lstatSync(join(this.#root, path), { throwIfNoEntry: false, bigint: true }));
    return new Set(stats.flatMap((stat) => (stat ? [identityOf(stat)] : [])));
  }

  #add(spots: Spot[], path: string, kind: Facts["kind"]): void {
    if (path.includes("\uFFFD")) {
      this.#unnamed.push(path);
      return;
    }
    if (kind !== "link") spots.push({ path, isFolder: kind === "folder" });
    else {
      this.#links.push({ path, target: readlinkSync(join(this.#root, path)) });
      const spot = this.#behind(path);
      if (spot) spots.push(spot);
    }
  }

  /** What a link leads to, if that is in the project. Elsewhere a command cannot reach it anyway. */
  #behind(path: string): Spot | undefined {
    try {
      const place = realpathSync.native(join(this.#root, path));
      const inside = relative(this.#root, place).split(sep).join("/");
      return inside === "" || inside.startsWith("../") ? undefined : { path: inside, isFolder: statSync(place).isDirectory() };
    } catch {
      return undefined; // It leads nowhere.
    }
  }
}

function isOrder(path: string, name: string, kind: Facts["kind"], isInGit: boolean): boolean {
  const plain = folded(name);
  if (isInGit) return kind === "folder" ? plain === "hooks" : GIT_ORDERS.has(plain);
  return folded(path) === "colloquy.yaml" || folded(path) === "agents" || folded(path) === "prd" || (plain === ".git" && kind !== "folder");
}

const inOrder = (spots: readonly Spot[]): readonly Spot[] =>
  [...new Map(spots.map((spot) => [spot.path, spot])).values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
