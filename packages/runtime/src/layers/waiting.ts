import { existsSync, readFileSync } from "node:fs";
import { LayerFolder } from "./layer-folder.ts";

export const MAX_WAITING_BYTES = 8_000_000_000;

/** What other layers hold that wait to be judged. */
export function waitingBytes(root: string, exceptCall: string): number {
  return LayerFolder.in(root)
    .filter((layer) => layer.callId !== exceptCall && existsSync(layer.size) && !existsSync(layer.applied))
    .reduce((sum, layer) => sum + Number(readFileSync(layer.size, "utf8")), 0);
}
