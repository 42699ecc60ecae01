import type { CallEffects, FileEffect } from "@colloquy/schema";
import type { ClassifyRules, Finding } from "./classify.ts";
import { isManifest } from "./manifests.ts";
import { fitsGlob } from "./path.ts";

/** More files than this at once are many. */
const MANY_DELETED = 8;
const MANY_CHANGED = 50;
/** This many paths show which files are meant. */
const NAMED = 5;

/** What a build regenerates. Only files that are not lost count: git has them, or ignores them. */
const SPARE = new Set(
  "node_modules dist build out coverage target .cache .next .nuxt .turbo .parcel-cache .pytest_cache .mypy_cache __pycache__ .venv .tox .gradle".split(
    " ",
  ),
);
/** Installed packages have their own manifests, which say nothing about this project. */
const PACKAGES = new Set(["node_modules", "site-packages", ".venv", "vendor"]);

/**
 * A command's class, by what it did: read from its layer, whatever its words were. `touched`: every path that it changed, where `effects`
 * names folders or only the first files.
 */
export function classifyEffects(
  effects: CallEffects,
  { architecture }: ClassifyRules,
  touched: readonly string[] = touchedIn(effects),
): readonly Finding[] {
  // An installation touches tens of thousands of files, and none of them is the project's own.
  const own = touched.filter((path) => !isIn(PACKAGES, path));
  return [
    ...found("destructive", [...destroyed(effects.files), ...effects.git]),
    ...found("dependencyModifications", own.filter(isManifest)),
    ...found(
      "architectureDecisions",
      own.filter((path) => architecture.some((pattern) => fitsGlob(pattern, path))),
    ),
  ];
}

/** The paths that a list of effects names. */
export const touchedIn = ({ files }: CallEffects): readonly string[] => files.flatMap(pathsOf);

/** Everything that changed. */
export const pathsOf = ({ path, from }: FileEffect): readonly string[] => (from === undefined ? [path] : [path, from]);

/** Work that exists nowhere else, and deletions and rewrites that people want to see first, even if git could restore them. */
function destroyed(files: readonly FileEffect[]): readonly string[] {
  const missed = files.filter((file) => file.isLost || !isSpare(file));
  const gone = missed.filter(({ kind }) => kind === "deleted" || kind === "emptied");
  const changed = missed.filter(({ kind }) => kind === "changed" || kind === "mode");
  const isMass = sum(gone) > MANY_DELETED;
  return [
    ...missed.filter((file) => file.isLost || (gone.includes(file) && (isMass || file.files !== undefined))),
    ...(sum(changed) > MANY_CHANGED ? changed.filter((file) => !file.isLost) : []),
  ].map(({ path }) => path);
}

const sum = (files: readonly FileEffect[]): number => files.reduce((total, file) => total + (file.files ?? 1), 0);

const isSpare = ({ path }: FileEffect): boolean => isIn(SPARE, path) || /\.(?:pyc|log|tsbuildinfo)$/.test(path);

const isIn = (folders: ReadonlySet<string>, path: string): boolean => path.split("/").some((part) => folders.has(part));

function found(kind: Finding["class"], parts: readonly string[]): readonly Finding[] {
  if (parts.length === 0) return [];
  const more = parts.length > NAMED ? ` (+${parts.length - NAMED})` : "";
  return [{ class: kind, part: parts.slice(0, NAMED).join(", ") + more }];
}
