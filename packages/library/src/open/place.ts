import { type DialogId, mainDialogOf, type RootId } from "@colloquy/schema";

export interface Place {
  readonly rootId: RootId;
  readonly selfId: DialogId;
}

/** Any dialog, main or side: by its whole id, as it came from a list, a request or a database, or by its tree's and its own. */
export type Where = string | Place;

export const mainPlace = (rootId: RootId): Place => ({ rootId, selfId: mainDialogOf(rootId) });
