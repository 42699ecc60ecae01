import type { TreeEvent } from "@colloquy/schema";
import type { Tree } from "./tree.ts";

/** One commit of a tree: its events, the tree before and after them, and the time. */
export interface TreeCommit {
  readonly before: Tree;
  readonly after: Tree;
  readonly events: readonly TreeEvent[];
  readonly at: number;
}
