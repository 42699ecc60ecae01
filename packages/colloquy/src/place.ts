import { type DialogId, mainDialogOf, type RootId } from "@colloquy/schema";

export interface Place {
  readonly rootId: RootId;
  readonly selfId: DialogId;
}

/** A main dialog by its tree's id, or any dialog of a tree. */
export type Where = RootId | Place;

export const placeOf = (where: Where): Place => (typeof where === "string" ? { rootId: where, selfId: mainDialogOf(where) } : where);
