import type { Words } from "./words.ts";

/** The indexed part of a tree. */
export interface Indexed {
  readonly rootId: string;
  readonly seq: number;
  readonly at: string;
}

/** New texts of one tree, and the position up to which it is indexed with them. */
export interface Batch extends Indexed {
  readonly words: readonly Words[];
}

export interface Hit extends Words {
  readonly rootId: string;
  readonly snippet: string;
}

export type ToIndex =
  | { readonly type: "open"; readonly path: string }
  | { readonly type: "add"; readonly batches: readonly Batch[] }
  | { readonly type: "search"; readonly query: string; readonly limit: number }
  | { readonly type: "close" };

export type FromIndex =
  | { readonly id: number; readonly opened: readonly Indexed[]; readonly isClean: boolean }
  | { readonly id: number; readonly hits: readonly Hit[] }
  | { readonly id: number; readonly error: string }
  | { readonly id: number; readonly done: true };
