import type { CallEffects, FileEffect } from "@colloquy/schema";
import type { ClassifyRules, Finding } from "./classify.ts";
import { isManifest } from "./manifests.ts";
import { fitsGlob } from "./path.ts";

/** Deleting more files than this at once is destructive. */
const MAX_HARMLESS_DELETED = 8;
const MAX_HARMLESS_CHANGED = 50;
/** A finding names this many paths. */
const MAX_NAMED_PATHS = 5;

/** Folders that a build regenerates. Their files are spared only if git has or ignores them. */
const SPARE = new Set(
  "node_modules dist build out coverage target .cache .next .nuxt .turbo .parcel-cache .pytest_cache .mypy_cache __pycache__ .venv .tox .gradle".split(
    " ",
  ),
);
/** Installed packages have manifests of their own, which say nothing about this project. */
const PACKAGES = new Set(["node_modules", "site-packages", ".venv", "vendor"]);

/** The touched paths that belong to a class. */
export interface ClassedPaths {
  readonly manifests: readonly string[];
  readonly architecture: readonly string[];
}

/**
 * A command's classes, by its effects as read from its layer, whatever its words were. `paths`: found among every path it changed,
 * because `effects` may name only folders or the first files.
 */
export const classifyEffects = (effects: CallEffects, { manifests, architecture }: ClassedPaths): readonly Finding[] => [
  ...found("destructive", [...destroyed(effects.files), ...effects.git, ...(effects.reachesOut ?? [])]),
  ...found("dependencyModifications", manifests),
  ...found("architectureDecisions", architecture),
];

/** An installation touches tens of thousands of files, none of which is the project's own. */
export function classedPaths(touched: readonly string[], { architecture }: ClassifyRules): ClassedPaths {
  const own = touched.filter((path) => !isIn(PACKAGES, path));
  return {
    manifests: own.filter(isManifest),
    architecture: [...own.filter(fitsOneOf(architecture)), ...installed(touched, architecture)],
  };
}

const fitsOneOf = (patterns: readonly string[]) => (path: string) => patterns.some((pattern) => fitsGlob(pattern, path));

/** Installed files that a pattern names by their folder. `*.sql` matches only the project's own files. */
function installed(touched: readonly string[], architecture: readonly string[]): readonly string[] {
  const patterns = architecture.filter((pattern) => isIn(PACKAGES, pattern));
  return patterns.length === 0 ? [] : touched.filter((path) => isIn(PACKAGES, path)).filter(fitsOneOf(patterns));
}

/** The paths that a list of effects names. */
export const touchedIn = ({ files }: CallEffects): readonly string[] => files.flatMap(pathsOf);

/** Every path that an effect concerns. */
export const pathsOf = ({ path, from }: FileEffect): readonly string[] => (from === undefined ? [path] : [path, from]);

/** Work that exists nowhere else, and deletions and rewrites that people want to see first even if git could restore them. */
function destroyed(files: readonly FileEffect[]): readonly string[] {
  const missed = files.filter((file) => file.isLost || !isSpare(file));
  const gone = missed.filter(({ kind }) => kind === "deleted" || kind === "emptied");
  const changed = missed.filter(({ kind }) => kind === "changed" || kind === "mode");
  const isMass = sum(gone) > MAX_HARMLESS_DELETED;
  return [
    ...missed.filter((file) => file.isLost || (gone.includes(file) && (isMass || file.files !== undefined))),
    ...(sum(changed) > MAX_HARMLESS_CHANGED ? changed.filter((file) => !file.isLost) : []),
  ].map(({ path }) => path);
}

const sum = (files: readonly FileEffect[]): number => files.reduce((total, file) => total + (file.files ?? 1), 0);

const isSpare = ({ path }: FileEffect): boolean => isIn(SPARE, path) || /\.(?:pyc|log|tsbuildinfo)$/.test(path);

const isIn = (folders: ReadonlySet<string>, path: string): boolean => path.split("/").some((part) => folders.has(part));

function found(kind: Finding["class"], parts: readonly string[]): readonly Finding[] {
  if (parts.length === 0) return [];
  const more = parts.length > MAX_NAMED_PATHS ? ` (+${parts.length - MAX_NAMED_PATHS})` : "";
  return [{ class: kind, part: parts.slice(0, MAX_NAMED_PATHS).join(", ") + more }];
}
