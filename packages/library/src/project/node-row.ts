import type { answers } from "@colloquy/schema";
import type { NodeInfo } from "@colloquy/store";
import type { z } from "zod";

export type NodeRow = z.infer<typeof answers.NodeRow>;

/** A node as people and programs are shown it. */
export const nodeRow = ({ id, url, place, version, since, trees, isAlive }: NodeInfo): NodeRow => ({
  id,
  ...(url !== undefined && { url }),
  place,
  ...(version !== undefined && { version }),
  since,
  trees,
  alive: isAlive,
});
