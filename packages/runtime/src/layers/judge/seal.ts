import type { CallEffects } from "@colloquy/schema";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findChanges, type Scene } from "./changes.ts";
import { copiedFolders } from "../copy.ts";
import { contentHash } from "./content-hash.ts";
import { indexEntries } from "../git-index-entries.ts";
import { syncAll, writeDurable } from "../durable.ts";
import { effectsOf } from "./effects.ts";
import type { FileRow } from "./file-row.ts";
import { firstFacts, gitChange, gitFacts } from "./git/git-facts.ts";
import { unsafeIndex, unseenFiles } from "./git/git-index.ts";
import type { GitSandbox } from "./git/git-reader.ts";
import { plantedVersions } from "./git/git-versions.ts";
import { outwardLinks, takenCommands } from "./reaching-out.ts";
import { LayerFolder } from "../layer-folder.ts";
import { Diffs } from "./diffs.ts";
import { findLosses, type Hashes } from "./losses.ts";
import { type Measured, measureLayer } from "./measure.ts";
import { findMoves, type Moves } from "./moves.ts";
import type { TouchedPaths } from "../../calls/tool.ts";
import type { Manifest, Operation } from "../operation.ts";
import { touchedPaths } from "../touched-paths.ts";
import { MergedView, type Overlay } from "../overlay.ts";
import { refuser } from "./refusals.ts";
import { Repositories } from "./git/repositories.ts";
import { Sealer } from "./sealer.ts";
import { shownEffects } from "./shown-effects.ts";
import { unstagedWork } from "./staged-work.ts";

/** A layer whose command has ended. Plain data, passed to a thread. */
export interface SealJob {
  readonly root: string;
  readonly callId: string;
  /** Absent: the layer is a copy, complete at `copiedNs`. */
  readonly overlay: Overlay | undefined;
  readonly copiedNs: bigint;
  readonly sinceNs: bigint;
  readonly git: GitSandbox | undefined;
  /** Programs that we run and commands may not write: those of MCP servers, and our own code. */
  readonly programs: readonly string[];
  readonly code: readonly string[];
  /** Files that agents made since this process started, by `fileKey`. */
  readonly madeByAgents: ReadonlySet<string>;
}

export type Sealed =
  | { readonly kind: "unchanged"; readonly refused: readonly string[] }
  | { readonly kind: "tooLarge" }
  | { readonly kind: "tooDeep" }
  | {
      readonly kind: "sealed";
      /** Without git's own folder. */
      readonly touched: TouchedPaths;
      readonly effects: CallEffects;
      readonly shown: string;
      readonly bytes: number;
      /** Files that belong to the agents once they are applied. */
      readonly made: readonly string[];
    };

const MAX_MADE = 5_000;

/** Reads a command's effects from its layer, and writes them down so that they can be applied after a restart. */
export async function seal(job: SealJob): Promise<Sealed> {
  const layer = new LayerFolder(job.root, job.callId);
  const measured = measureLayer(job.overlay ? layer.upper : layer.merged);
  if (measured.isTooLarge) return { kind: "tooLarge" };
  if (measured.isTooDeep) return { kind: "tooDeep" };
  if (!job.overlay) return sealView(job, layer, layer.merged, measured);
  const view = await MergedView.open(job.overlay, layer);
  try {
    return await sealView(job, layer, view.path, measured);
  } finally {
    await view.close();
  }
}

async function sealView(job: SealJob, layer: LayerFolder, merged: string, { modes, bytes: written }: Measured): Promise<Sealed> {
  const { root, overlay, copiedNs, sinceNs, madeByAgents } = job;
  const copied = overlay ? {} : { copiedNs, copiedFolders: copiedFolders(layer) };
  const scene: Scene = { lower: root, upper: overlay ? layer.upper : undefined, merged, ...copied, sinceNs, modes };
  const isRefused = refuser(root, merged, job);
  const sealer = new Sealer(layer, scene, isRefused);
  sealer.add(findChanges(scene));
  const refusedSoFar = topmost([...sealer.refused]);
  const repositories = new Repositories(job.git && { sandbox: job.git, layer, overlay, merged, refused: refusedSoFar }, sealer.operations);
  const git = repositories.own;
  const unsafe = git && (await unsafeIndex(git, sealer.operations));
  const index = indexChange(root, merged, git?.folder, sealer.operations);
  const operations = inOrder(
    sealer.operations.filter((one) => one.path !== unsafe && one !== index?.refreshed).map((one) => (one === index?.from ? index.to : one)),
    git?.folder,
  );
  const refused = topmost([...refusedSoFar, ...(unsafe === undefined ? [] : [unsafe])]);
  if (operations.length === 0) return { kind: "unchanged", refused };

  // `gitFacts` reports changes in git's own folder.
  const rows = sealer.rows.filter(({ path }) => !(git && (path === git.folder || path.startsWith(`${git.folder}/`))));
  const hashes = hashing(git?.algorithm ?? "sha1", root, merged);
  const moves = findMoves(rows, (row) => (row.kind === "deleted" ? hashes.before(row) : hashes.after(row)));
  const isAgents = (row: FileRow) => row.before !== undefined && madeByAgents.has(row.before.key);
  const diffs = new Diffs(
    (path) => join(root, path),
    (path) => join(merged, path),
  );
  diffs.start(rows);
  // Queries other processes while the disk works.
  const change = git && gitChange(git, root, merged, operations);
  const [losses, facts, unstaged, planted, unseen] = await Promise.all([
    findLosses({ root, rows, repositories, isAgents, movedTo: (row) => moves.files.get(row), hashes }),
    change ? gitFacts(change) : [],
    git ? unstagedWork(git, merged, operations) : [],
    change ? plantedVersions(change, { root, isClosed: (path) => isRefused(path, "file") }) : [],
    git ? unseenFiles(git, operations) : [],
    syncSources(layer, sealer.sources),
  ]);
  const bytes = overlay ? written : rows.reduce((sum, { after }) => sum + (after?.bytes ?? 0), 0);
  const effects = effectsOf({
    rows,
    moves: keptMoves(moves, losses),
    losses,
    git: firstFacts([...new Set([...facts, ...unstaged, ...planted, ...unseen])]),
    reachesOut: [...outwardLinks({ root, merged, rows }), ...takenCommands({ root, merged, rows })],
    refused,
    bytes,
  });
  const shown = await shownEffects(effects, diffs);
  const touched = rows.map(({ path }) => path);
  const conflicts = [...sealer.conflicts].filter((path) => path !== index?.refreshed?.path).toSorted();
  const manifest: Manifest = { version: 1, conflicts, bytes, operations, touched };
  writeFileSync(layer.size, String(bytes));
  writeDurable(layer.manifest, JSON.stringify(manifest));
  const made = madeIn(rows, moves, isAgents);
  return { kind: "sealed", effects, shown, touched: touchedPaths(manifest), bytes, made };
}

interface IndexChange {
  /** The command only read: the index has the same entries, and is left alone. */
  readonly refreshed?: Operation;
  /** Otherwise its former entries are recorded, to recognize it after a refresh. */
  readonly from?: Operation;
  readonly to: Operation;
}

function indexChange(root: string, merged: string, folder: string | undefined, operations: readonly Operation[]): IndexChange | undefined {
  const operation = operations.find(({ path }) => path === `${folder}/index`);
  if (operation?.do === "meta") return { refreshed: operation, to: operation };
  if (operation?.do !== "put" || operation.before?.kind !== "file") return undefined;
  const entries = indexEntries(join(root, operation.path));
  if (entries === undefined) return undefined;
  if (entries === indexEntries(join(merged, operation.path))) return { refreshed: operation, to: operation };
  return { from: operation, to: { ...operation, before: { ...operation.before, entries } } };
}

/** Git must never refer to a missing object: objects are added first and removed last. */
function inOrder(operations: readonly Operation[], folder: string | undefined): readonly Operation[] {
  if (folder === undefined) return operations;
  const rank = ({ do: kind, path }: Operation): number => {
    if (kind === "meta") return 3;
    if (path !== `${folder}/objects` && !path.startsWith(`${folder}/objects/`)) return 1;
    return kind === "put" ? 0 : 2;
  };
  return operations.toSorted((one, other) => rank(one) - rank(other));
}

/** A move that loses content is reported as a deletion and a creation. */
function keptMoves({ files, folders }: Moves, losses: ReadonlySet<FileRow>): Moves {
  const lost = new Set([...files.keys()].flatMap((row) => (losses.has(row) ? [row.group] : [])));
  return {
    files: new Map([...files].filter(([row]) => !losses.has(row))),
    folders: new Map([...folders].filter(([from]) => !lost.has(from))),
  };
}

/** New files, and agents' files that were changed or moved. A person's file under another name stays a person's. */
function madeIn(rows: readonly FileRow[], { files }: Moves, isAgents: (row: FileRow) => boolean): readonly string[] {
  const movedFrom = new Map([...files].map(([from, to]) => [to, from]));
  return rows
    .filter((row) => (row.kind === "created" ? isAgents(movedFrom.get(row) ?? row) || !movedFrom.has(row) : isAgents(row)))
    .flatMap(({ path, after }) => (after ? [path] : []))
    .slice(0, MAX_MADE);
}

function hashing(algorithm: "sha1" | "sha256", root: string, merged: string): Hashes {
  const known = new Map<string, string | undefined>();
  const of = (place: string): string | undefined => {
    if (!known.has(place)) known.set(place, contentHash(place, algorithm));
    return known.get(place);
  };
  return { before: (row: FileRow) => of(join(root, row.path)), after: (row: FileRow) => of(join(merged, row.path)) };
}

async function syncSources(layer: LayerFolder, sources: Sealer["sources"]): Promise<void> {
  syncAll(withParents(layer, sources), layer.path);
}

/** With every parent folder, each once. */
function withParents(layer: LayerFolder, sources: Sealer["sources"]): Sealer["sources"] {
  const all = new Map(sources.map((source) => [source.path, source]));
  for (const { path } of sources) {
    for (let parent = dirname(path); parent !== layer.root && !all.has(parent); parent = dirname(parent))
      all.set(parent, { path: parent, isFolder: true });
  }
  return [...all.values()];
}

/** A folder stands for everything in it. */
const topmost = (paths: readonly string[]): readonly string[] => {
  const all = new Set(paths);
  const isBelow = (path: string) => path.split("/").some((_, at, parts) => at > 0 && all.has(parts.slice(0, at).join("/")));
  return paths.filter((path) => !isBelow(path)).toSorted();
};
