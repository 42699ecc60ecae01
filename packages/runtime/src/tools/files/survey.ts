import { type BigIntStats, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { type FolderMemo, type FolderMemory, memoryOf } from "./folder-memory.ts";
import { linkJudge } from "./hard-links.ts";
import { isGitFolder } from "../protected/git-shape.ts";
import { folded, isDotGit, isHidden, isInPackages } from "./hidden.ts";
import { type Facts, factsOf, identityOf, kindOf, OpenFolder, OutOfReach } from "./open-at.ts";

/** The paths that a command must not reach. Relative to the project, with slashes; parents come first. */
export interface Survey {
  readonly hidden: readonly Spot[];
  /** Read-only: the team's settings, the requirements, git's settings and hooks, and the programs that we run. */
  readonly readOnly: readonly Spot[];
  /** Git folders, by name or by content. */
  readonly repositories: readonly string[];
  /** Protected paths whose names aren't valid text, so that they can't be addressed. */
  readonly unnamed: readonly string[];
  /** Links with a name of either kind; their targets are listed themselves. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
}

export interface Spot {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Parts of a git folder that are only data, and large. */
const GIT_DATA = new Set(["objects", "refs", "logs", "lfs", "rr-cache"]);
/** Decides which programs git starts, in a repository, its worktrees and its submodules. */
const GIT_ORDERS = new Set(["config", "config.worktree", "commondir", "gitdir"]);

/** How old a folder's last change must be before its listing is cached: file system clocks are coarse. */
const SETTLED_NS = 50_000_000n;

/** Surveys the whole project except installed packages; or only its top folder. Unchanged folders are not read again. */
export function survey(root: string, programs: readonly string[], isShallow = false, memory: FolderMemory = memoryOf(root)): Survey {
  const looker = new Looker(root, programs, isShallow, memory);
  looker.look("", false);
  return looker.end();
}

const NOTHING = { notable: [], hasShape: false };

class Looker {
  readonly #root: string;
  readonly #programs: readonly string[];
  readonly #isShallow: boolean;
  readonly #repositories: string[] = [];
  readonly #unnamed: string[] = [];
  readonly #hidden: Spot[] = [];
  readonly #readOnly: Spot[] = [];
  readonly #links: { path: string; target: string }[] = [];
  readonly #linked: { readonly path: string; readonly facts: Facts }[] = [];
  readonly #memory: FolderMemory;
  readonly #seen = new Set<string>();

  constructor(root: string, programs: readonly string[], isShallow: boolean, memory: FolderMemory) {
    this.#root = root;
    this.#programs = programs;
    this.#isShallow = isShallow;
    this.#memory = memory;
  }

  look(inside: string, isBelowGit: boolean): void {
    const { notable, hasShape } = this.#notableIn(inside, isBelowGit);
    if (hasShape) this.#repositories.push(inside);
    const isInGit = isBelowGit || hasShape;
    for (const { name, kind } of notable) {
      const path = pathOf(inside, name);
      const isFolder = kind === "folder";
      if (!isInGit && isDotGit(name)) this.#repositories.push(path);
      if (isHidden(path)) this.#add(this.#hidden, path, kind);
      else if (isOrder(path, name, kind, isInGit)) {
        this.#add(this.#readOnly, path, kind);
        if (isFolder) this.#enter(path, isInGit);
      } else if (isFolder) this.#enter(path, isInGit || isDotGit(name));
      else if (kind === "other") {
        // Pipes and sockets lead to processes outside.
        this.#add(this.#hidden, path, kind);
      } else this.#addLinked(path);
    }
  }

  #enter(path: string, isInGit: boolean): void {
    if (!this.#isShallow) this.look(path, isInGit);
  }

  #addLinked(path: string): void {
    const stat = lstatSync(join(this.#root, path), { throwIfNoEntry: false, bigint: true });
    if (stat?.isFile() && stat.nlink > 1n) this.#linked.push({ path, facts: factsOf(stat) });
  }

  #notableIn(inside: string, isInGit: boolean): Pick<FolderMemo, "notable" | "hasShape"> {
    this.#seen.add(inside);
    const stat = lstatSync(join(this.#root, inside), { throwIfNoEntry: false, bigint: true });
    if (!stat?.isDirectory()) return NOTHING;
    const known = this.#memory.get(inside);
    if (known?.stamp === stampOf(stat) && known.isInGit === isInGit) return known;
    try {
      return OpenFolder.with(this.#root, inside, (folder) => this.#read(folder, inside, isInGit));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Gone or closed to us by now.
      if (inside !== "" && (error instanceof OutOfReach || code === "ENOENT" || code === "EACCES")) return NOTHING;
      throw error;
    }
  }

  #read(folder: OpenFolder, inside: string, isBelowGit: boolean): Pick<FolderMemo, "notable" | "hasShape"> {
    const nowNs = BigInt(Date.now()) * 1_000_000n;
    // By its descriptor, which is a link to it.
    const stat = statSync(folder.at("."), { bigint: true });
    const plain = new Map<string, string>();
    const entries = folder.entries();
    const hasShape = !isBelowGit && isGitFolder(entries.map(({ name }) => name));
    const isInGit = isBelowGit || hasShape;
    const notable = entries.filter(({ name, kind }) => {
      const path = pathOf(inside, name);
      if (isHidden(path) || isOrder(path, name, kind, isInGit) || kind === "other" || isDotGit(name)) return true;
      if (kind === "folder") return !(isInGit && GIT_DATA.has(name)) && !isInPackages(path);
      const facts = kind === "file" && !isInGit ? folder.facts(name) : undefined;
      if (!facts || facts.names > 1) return facts !== undefined;
      plain.set(facts.identity, name);
      return false;
    });
    if (stat.ctimeNs < nowNs - SETTLED_NS)
      this.#memory.set(inside, { stamp: stampOf(stat), isInGit: isBelowGit, notable, hasShape, plain });
    else this.#memory.delete(inside);
    return { notable, hasShape };
  }

  /**
   * A file that had one name when its folder was read may have another now. That name is in a folder that was just read, or it is
   * hidden or protected, which is checked each time.
   */
  #addNewlyLinked(): void {
    const closed = [...this.#hidden, ...this.#readOnly].filter(({ path }) => folded(path) !== ".dialogs");
    const shared = new Set([...this.#linked.map(({ facts }) => facts.identity), ...closed.flatMap(({ path }) => this.#sharedIn(path))]);
    if (shared.size === 0) return;
    const listed = new Set(this.#linked.map(({ path }) => path));
    for (const [inside, { plain }] of this.#memory) {
      for (const identity of shared) {
        const name = plain.get(identity);
        if (name !== undefined && !listed.has(pathOf(inside, name))) this.#addLinked(pathOf(inside, name));
      }
    }
  }

  /** Files with several names, at or below this path. */
  #sharedIn(path: string): readonly string[] {
    const place = join(this.#root, path);
    const stat = lstatSync(place, { throwIfNoEntry: false, bigint: true });
    if (stat?.isFile()) return stat.nlink > 1n ? [identityOf(stat)] : [];
    if (!stat?.isDirectory()) return [];
    try {
      return readdirSync(place).flatMap((name) => this.#sharedIn(pathOf(path, name)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EACCES") return []; // Closed to us, and so to commands.
      throw error;
    }
  }

  end(): Survey {
    this.#addPrograms();
    if (!this.#isShallow) {
      for (const inside of this.#memory.keys()) if (!this.#seen.has(inside)) this.#memory.delete(inside);
      this.#addNewlyLinked();
    }
    const isOpen = linkJudge(this.#root);
    const protectedFiles = this.#linked.length > 0 ? this.#protectedFiles() : new Set();
    for (const { path, facts } of this.#linked) {
      if (!isOpen(facts, path)) this.#add(this.#hidden, path, "file");
      else if (protectedFiles.has(facts.identity)) this.#add(this.#readOnly, path, "file");
    }
    return {
      hidden: inOrder(this.#hidden),
      readOnly: inOrder(this.#readOnly),
      links: this.#links,
      unnamed: this.#unnamed,
      repositories: this.#repositories,
    };
  }

  /** By path, since installed packages aren't surveyed. */
  #addPrograms(): void {
    for (const path of this.#programs.filter((program) => !isHidden(program))) {
      const stat = lstatSync(join(this.#root, path), { throwIfNoEntry: false });
      if (stat) this.#add(this.#readOnly, path, kindOf(stat));
    }
  }

  /** A protected file could still be written through a hard link. */
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

  /** A link's target, if it is in the project. Elsewhere a command can't reach it anyway. */
  #behind(path: string): Spot | undefined {
    try {
      const place = realpathSync.native(join(this.#root, path));
      const inside = relative(this.#root, place).split(sep).join("/");
      return inside === "" || inside.startsWith("../") ? undefined : { path: inside, isFolder: statSync(place).isDirectory() };
    } catch {
      return undefined; // A dangling link.
    }
  }
}

const pathOf = (inside: string, name: string): string => (inside === "" ? name : `${inside}/${name}`);

/** Changes whenever a name is added, removed or replaced. */
const stampOf = ({ dev, ino, ctimeNs }: BigIntStats): string => `${dev}:${ino}:${ctimeNs}`;

function isOrder(path: string, name: string, kind: Facts["kind"], isInGit: boolean): boolean {
  const plain = folded(name);
  if (isInGit) return kind === "folder" ? plain === "hooks" : GIT_ORDERS.has(plain);
  return folded(path) === "colloquy.yaml" || folded(path) === "agents" || folded(path) === "prd" || (plain === ".git" && kind !== "folder");
}

const inOrder = (spots: readonly Spot[]): readonly Spot[] =>
  [...new Map(spots.map((spot) => [spot.path, spot])).values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
