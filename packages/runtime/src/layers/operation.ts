import type { Identity } from "./identity.ts";

/** One step of applying a layer. Each is one rename, and can be told to be done by looking. */
export type Operation =
  | {
      readonly do: "put";
      readonly path: string;
      /** Relative to the layer's folder. */
      readonly source: string;
      /** Of the source: it keeps it when it moves. */
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
      /** With a state: its content must still be that. */
      readonly before: Identity;
      /** What undo puts back. Layers that were sealed before undo existed have none. */
      readonly was?: { readonly mode: number; readonly mtimeMs: number | undefined } | undefined;
    };

/** All there is to know of a sealed layer, in `layer.json`. */
export interface Manifest {
  readonly version: 1;
  /** What was changed in the project while the command ran. */
  readonly conflicts: readonly string[];
  readonly bytes: number;
  readonly operations: readonly Operation[];
  /** Every path that changed, apart from what git does in its own folder: of those below a folder, `operations` name only the folder. */
  readonly touched?: readonly string[];
}
