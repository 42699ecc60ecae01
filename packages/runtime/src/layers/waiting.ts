import { existsSync, readFileSync } from "node:fs";
import { LayerFolder } from "./layer-folder.ts";

export const MAX_WAITING_BYTES = 8_000_000_000;

/** The sizes of other layers that wait to be judged. */
export function waitingBytes(root: string, exceptCall: string): number {
  return LayerFolder.in(root)
    .filter((layer) => layer.callId !== exceptCall && !existsSync(layer.applied))
    .reduce((sum, layer) => sum + sizeOf(layer), 0);
}

/** A layer that isn't sealed yet, or is being removed, doesn't count. */
function sizeOf(layer: LayerFolder): number {
  try {
    return Number(readFileSync(layer.size, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}
