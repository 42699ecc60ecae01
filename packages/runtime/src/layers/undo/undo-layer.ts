import { existsSync, lstatSync, mkdirSync, readFileSync } from "node:fs";
import type { Undone, UndoConflict } from "../../calls/tool.ts";
import { ownGitFolders } from "../../tools/protected/own-git.ts";
import { type OnStep, perform } from "../apply/apply-layer.ts";
import { applying, doneMark, undoing } from "../apply/journal.ts";
import { writeDurable } from "../durable.ts";
import { LayerFolder } from "../layer-folder.ts";
import type { Manifest } from "../operation.ts";
import { removeTree } from "../remove-tree.ts";
import { inverseOf } from "./inverse.ts";

const GONE: Undone = { conflicts: [], notes: [], isGone: true };

/**
 * Undoes an applied layer: all of it, or nothing if a path changed since. It keeps a journal in the same way as applying, so if the
 * process is killed, calling this again finishes it.
 */
export function undoLayer(layer: LayerFolder, onStep: OnStep = () => {}): Undone {
  const isBegun = existsSync(layer.undoing) || existsSync(layer.undone);
  if (!isBegun) {
    if (!existsSync(layer.applied) || !existsSync(layer.manifest)) return GONE;
    const inverse = inverseOf(layer, manifestIn(layer), doneMark(applying(layer)), ownGitFolders(layer.root));
    if (inverse.kind === "gone") return GONE;
    onStep("prepare");
    mkdirSync(layer.after, { recursive: true, mode: 0o700 });
    writeDurable(layer.undoManifest, JSON.stringify(inverse.manifest));
  }
  const { conflicts, notes } = perform(undoing(layer), onStep);
  if (conflicts.length > 0) return { conflicts: withCauses(layer, conflicts), notes: [] };
  onStep("clean up");
  for (const folder of [layer.before, layer.after]) removeTree(folder);
  return { conflicts: [], notes };
}

const manifestIn = (layer: LayerFolder): Manifest => JSON.parse(readFileSync(layer.manifest, "utf8")) as Manifest;

/** For each path the newest later command that changed it, if any. */
function withCauses(layer: LayerFolder, paths: readonly string[]): readonly UndoConflict[] {
  const later = laterThan(layer);
  return paths.map((path) => {
    for (const { callId, changed } of later) {
      const found = changed.find((one) => isIn(one, path) || isIn(path, one));
      // For a folder, the path in it.
      if (found !== undefined) return { path: isIn(found, path) ? found : path, call: callId };
    }
    return { path };
  });
}

function laterThan(layer: LayerFolder): readonly { readonly callId: string; readonly changed: readonly string[] }[] {
  const appliedNs = (one: LayerFolder) => lstatSync(one.applied, { bigint: true }).mtimeNs;
  return LayerFolder.in(layer.root)
    .filter((one) => one.callId !== layer.callId && existsSync(one.applied) && !existsSync(one.undone) && existsSync(one.manifest))
    .filter((one) => appliedNs(one) > appliedNs(layer))
    .toSorted((one, other) => (appliedNs(one) > appliedNs(other) ? -1 : 1))
    .map((one) => ({ callId: one.callId, changed: manifestIn(one).operations.map(({ path }) => path) }));
}

const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
