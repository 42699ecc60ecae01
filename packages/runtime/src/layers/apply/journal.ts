import { readFileSync } from "node:fs";
import { contentIdentityAt, type Identity, identityAt, type Look } from "../identity.ts";
import type { LayerFolder } from "../layer-folder.ts";

/** The files of one pass through a layer's operations: applying them, or undoing that. */
export interface Journal {
  readonly layer: LayerFolder;
  readonly manifest: string;
  /** The first mark exists before the first operation happens; the second, after the last one has. */
  readonly begun: string;
  readonly done: string;
  /** Receives what is replaced and removed, by operation number. */
  readonly kept: string;
  /** Matches the paths in the layer that operations may take from. */
  readonly sources: RegExp;
  readonly look: Look;
  readonly isUndo: boolean;
}

export const applying = (layer: LayerFolder): Journal => ({
  layer,
  manifest: layer.manifest,
  begun: layer.applying,
  done: layer.applied,
  kept: layer.before,
  sources: /^(?:upper|merged|fresh)\//,
  look: identityAt,
  isUndo: false,
});

export const undoing = (layer: LayerFolder): Journal => ({
  layer,
  manifest: layer.undoManifest,
  begun: layer.undoing,
  done: layer.undone,
  kept: layer.after,
  sources: /^before\//,
  look: contentIdentityAt,
  isUndo: true,
});

/** What each operation puts in place, recorded before anything was moved. */
export interface BegunMark {
  readonly states: readonly (string | undefined)[];
}

/** What an operation left at its path. Null: somebody else's or a later version is there, and the operation isn't undone. */
export type Left = Identity | "nothing" | null;

export interface DoneMark {
  readonly notes: readonly string[];
  /** By operation number. Layers applied before undo existed have none. */
  readonly left?: readonly Left[];
}

export const doneMark = (journal: Pick<Journal, "done">): DoneMark => JSON.parse(readFileSync(journal.done, "utf8")) as DoneMark;
