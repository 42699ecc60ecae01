import type { EffectNews } from "@colloquy/core";
import type { EffectView } from "@colloquy/schema";
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
  readonly effects: readonly BatchedEffect[];
}

/** News of a call, or the point from which on a tree is no longer a copy of another one. */
export type BatchedEffect = { readonly seq: number } & ({ readonly news: EffectNews } | { readonly isCopied: true });

/** `after`: the last call of the previous page. */
export interface EffectSearch {
  readonly rootId?: string | undefined;
  readonly selfId?: string | undefined;
  readonly call?: string | undefined;
  readonly since?: string | undefined;
  readonly outcome?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface Hit extends Words {
  readonly rootId: string;
  readonly snippet: string;
}

export type ToIndex =
  | { readonly type: "open"; readonly path: string }
  | { readonly type: "add"; readonly batches: readonly Batch[] }
  /** Trees that were deleted. */
  | { readonly type: "forget"; readonly trees: readonly string[] }
  | { readonly type: "search"; readonly query: string; readonly limit: number }
  | { readonly type: "effects"; readonly wanted: EffectSearch }
  | { readonly type: "close" };

export type FromIndex =
  | { readonly id: number; readonly opened: readonly Indexed[]; readonly isClean: boolean }
  | { readonly id: number; readonly hits: readonly Hit[] }
  | { readonly id: number; readonly effects: readonly EffectView[] }
  | { readonly id: number; readonly error: string }
  | { readonly id: number; readonly done: true };
