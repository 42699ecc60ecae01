import { existsSync, lstatSync } from "node:fs";
import type { Applied } from "../../calls/tool.ts";
import { applyLayer } from "./apply-layer.ts";
import { LayerFolder } from "../layer-folder.ts";
import { measureProject } from "../judge/measure.ts";
import { removeTree } from "../remove-tree.ts";

/** Bounds of what is kept for undo; the newest layers stay. */
const MAX_BEFORE_BYTES = 256_000_000;
const MAX_LAYERS = 50;

/** Applies a layer, then drops the oldest applied ones beyond the bounds. `programs`: paths that we run, and commands may not write. */
export function applyAndTrim(layer: LayerFolder, programs: readonly string[]): Applied {
  const applied = applyLayer(layer, undefined, programs);
  if (applied.conflicts.length === 0) trim(layer);
  return applied;
}

/** Newest first. */
export const appliedLayers = (root: string): readonly LayerFolder[] =>
  LayerFolder.in(root)
    .filter((layer) => existsSync(layer.applied))
    .map((layer) => ({ layer, at: lstatSync(layer.applied).mtimeMs }))
    .toSorted((one, other) => other.at - one.at)
    .map(({ layer }) => layer);

function trim(newest: LayerFolder): void {
  const done = appliedLayers(newest.root).filter((layer) => layer.callId !== newest.callId && !layer.isBeingUndone);
  let bytes = 0;
  for (const [at, layer] of [newest, ...done].entries()) {
    if (bytes <= MAX_BEFORE_BYTES) bytes += measureProject(layer.before).bytes;
    if (at < MAX_LAYERS && bytes <= MAX_BEFORE_BYTES) continue;
    // Somebody may still ask whether it was applied.
    if (at === 0) removeTree(layer.before);
    else layer.remove();
  }
}
