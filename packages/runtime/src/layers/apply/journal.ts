import { readFileSync } from "node:fs";
import { contentIdentityAt, type Identity, identityAt, type Look } from "../identity.ts";
import type { LayerFolder } from "../layer-folder.ts";

/** The files of one way through a layer's operations: applying them, or undoing that. */
export interface Journal {
  readonly layer: LayerFolder;
  readonly manifest: string;
  /** With it the first operation may have happened; with the second mark, the last one has. */
  readonly begun: string;
  readonly done: string;
  /** Takes what is replaced and removed, by the number of the operation. */
  readonly kept: string;
  /** Where operations take from. */
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

/** What each operation puts in place, as it was before anything was moved. */
export interface BegunMark {
  readonly states: readonly (string | undefined)[];
}

/** What an operation left at its path. Null: somebody else's version stands there, or a later one, and the operation is not undone. */
export type Left = Identity | "nothing" | null;

export interface DoneMark {
  readonly notes: readonly string[];
  /** By the number of the operation. Layers that were applied before undo existed have none. */
  readonly left?: readonly Left[];
}

export const doneMark = (journal: Pick<Journal, "done">): DoneMark => JSON.parse(readFileSync(journal.done, "utf8")) as DoneMark;
