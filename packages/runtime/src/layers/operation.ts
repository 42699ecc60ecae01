import type { Identity } from "./identity.ts";

/** One step of applying a layer. Each is one rename, and looking at the disk tells whether it is done. */
export type Operation =
  | {
      readonly do: "put";
      readonly path: string;
      /** Relative to the layer's folder. */
      readonly source: string;
      /** The source's inode number, which it keeps when it moves. */
      readonly ino: string;
      readonly mode: number | undefined;
      readonly before: Identity | undefined;
    }
  | { readonly do: "remove"; readonly path: string; readonly before: Identity }
  | {
      readonly do: "meta";
      readonly path: string;
      readonly mode: number;
      readonly mtimeMs: number | undefined;
      /** With a state: its content must still match. */
      readonly before: Identity;
      /** What undo restores. Layers sealed before undo existed have none. */
      readonly was?: { readonly mode: number; readonly mtimeMs: number | undefined } | undefined;
    };

/** The manifest of a sealed layer, `layer.json`. */
export interface Manifest {
  readonly version: 1;
  /** Paths that changed in the project while the command ran. */
  readonly conflicts: readonly string[];
  readonly bytes: number;
  readonly operations: readonly Operation[];
  /** Every changed path except in git's own folder; for paths below a folder, `operations` name only the folder. */
  readonly touched?: readonly string[];
}
