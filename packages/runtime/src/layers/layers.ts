import { existsSync, realpathSync } from "node:fs";
import { OneAtATime } from "../engine/one-at-a-time.ts";
import type { Applied, LayerStore, Undone } from "../calls/tool.ts";
import { applyInThread, removeLayers, touchedInThread, undoInThread } from "../tools/files/files-job.ts";
import { appliedLayers } from "./apply/applied-layers.ts";
import { LayerFolder } from "./layer-folder.ts";
import { madeByAgents } from "./judge/made-by-agents.ts";
import { OutOfReach } from "../tools/files/open-at.ts";
import { gitPrograms, learnGitPrograms } from "../tools/protected/git-programs.ts";
import { ownCode } from "../tools/protected/own-code.ts";

/** One layer at a time is applied to a project. */
const inTurn = new OneAtATime();
/** Files that a layer creates, until it is applied. */
const made = new Map<string, readonly string[]>();

export function rememberMade(root: string, callId: string, paths: readonly string[]): void {
  made.set(`${root}\0${callId}`, paths);
}

const madeOn = (root: string, callId: string): readonly string[] => made.get(`${root}\0${callId}`) ?? [];

const forgetMade = (root: string, callId: string): void => void made.delete(`${root}\0${callId}`);

const finishApplying = (root: string, callId: string) => applyInThread(root, callId, { programs: [], made: [] });

const isApplying = (layer: LayerFolder): boolean => existsSync(layer.applying) && !existsSync(layer.applied);

/** A program may have become one of ours after the command began, by new settings of MCP servers or of git. */
async function applyUnlessRun(root: string, callId: string, programs: () => readonly string[]): Promise<Applied> {
  let all: readonly string[];
  try {
    await learnGitPrograms(root);
    all = [...programs(), ...ownCode(root), ...gitPrograms(root)];
  } catch (error) {
    // Unknown programs can't be kept safe.
    if (error instanceof OutOfReach) return { conflicts: [".git"], notes: [] };
    throw error;
  }
  const { madeKeys, ...applied } = await applyInThread(root, callId, { programs: all, made: madeOn(root, callId) });
  if (applied.conflicts.length === 0) forgetMade(root, callId);
  madeByAgents.add(madeKeys);
  return applied;
}

/** What commands left on their layers. `programs`: paths of the project that MCP servers run by now. */
export const layersWith = (programs: () => readonly string[]): LayerStore => ({
  apply: (callId, dir): Promise<Applied> => {
    const root = realpathSync.native(dir);
    return inTurn.alone(root, () => applyUnlessRun(root, callId, programs));
  },

  touched: async (callId, dir) => touchedInThread(realpathSync.native(dir), callId),

  discard: (callId, dir) => {
    const root = realpathSync.native(dir);
    return inTurn.alone(root, async () => {
      forgetMade(root, callId);
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
      // What has begun is finished, whatever we run by now.
      const finish = isApplying(layer) ? finishApplying : layer.isBeingUndone ? undoInThread : undefined;
      if (finish) await inTurn.alone<unknown>(root, () => finish(root, layer.callId)).catch((error: unknown) => failed.push(error));
    }
    // One that can't be finished doesn't block the others.
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
});

/** The same where the servers' programs are not known. */
export const layers = layersWith(() => []);
