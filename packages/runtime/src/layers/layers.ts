import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { OneAtATime } from "../engine/one-at-a-time.ts";
import type { Applied, LayerStore, Undone } from "../calls/tool.ts";
import { applyInThread, removeLayers, touchedInThread, undoInThread } from "../tools/files/files-job.ts";
import { appliedLayers } from "./apply/applied-layers.ts";
import { LayerFolder } from "./layer-folder.ts";
import { madeByAgents } from "./judge/made-by-agents.ts";

/** One layer at a time is applied to a project. */
const inTurn = new OneAtATime();
/** What a layer makes, until it is applied. */
const made = new Map<string, readonly string[]>();

export function rememberMade(root: string, callId: string, paths: readonly string[]): void {
  made.set(`${root}\0${callId}`, paths);
}

const takeMade = (root: string, callId: string): readonly string[] => {
  const key = `${root}\0${callId}`;
  const paths = made.get(key) ?? [];
  made.delete(key);
  return paths;
};

const isApplying = (layer: LayerFolder): boolean => existsSync(layer.applying) && !existsSync(layer.applied);

/** What commands left on their layers. */
export const layers: LayerStore = {
  apply: (callId, dir): Promise<Applied> => {
    const root = realpathSync.native(dir);
    return inTurn.alone(root, async () => {
      const applied = await applyInThread(root, callId);
      if (applied.conflicts.length === 0) for (const path of takeMade(root, callId)) madeByAgents.addFile(join(root, path));
      return applied;
    });
  },

  touched: async (callId, dir) => touchedInThread(realpathSync.native(dir), callId),

  discard: (callId, dir) => {
    const root = realpathSync.native(dir);
    return inTurn.alone(root, async () => {
      takeMade(root, callId);
      const layer = new LayerFolder(root, callId);
      if (layer.exists && !existsSync(layer.applying) && !existsSync(layer.applied)) await removeLayers(root, [callId]);
    });
  },

  undo: (callId, dir): Promise<Undone> => {
    const root = realpathSync.native(dir);
    return inTurn.alone(root, () => undoInThread(root, callId));
  },

  undoable: async (dir) => {
    if (!existsSync(dir)) return [];
    return appliedLayers(realpathSync.native(dir))
      .filter((layer) => !existsSync(layer.undone))
      .map(({ callId }) => callId);
  },

  recover: async (dir) => {
    if (!existsSync(dir)) return;
    const root = realpathSync.native(dir);
    const failed: unknown[] = [];
    for (const layer of LayerFolder.in(root)) {
      const finish = isApplying(layer) ? applyInThread : layer.isBeingUndone ? undoInThread : undefined;
      if (finish) await inTurn.alone<unknown>(root, () => finish(root, layer.callId)).catch((error: unknown) => failed.push(error));
    }
    // One that cannot be finished holds up none of the others.
    if (failed.length > 0) throw failed[0];
  },

  sweep: async (dir, isOpen) => {
    if (!existsSync(dir)) return;
    const root = realpathSync.native(dir);
    await inTurn.alone(root, async () => {
      const over: string[] = [];
      for (const layer of LayerFolder.in(root))
        if (!existsSync(layer.applying) && !existsSync(layer.applied) && !(await isOpen(layer.callId))) over.push(layer.callId);
      if (over.length > 0) await removeLayers(root, over);
    });
  },
};
