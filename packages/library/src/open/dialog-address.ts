import { type DialogId, mainDialogOf, type RootId } from "@colloquy/schema";

export interface DialogAddress {
  readonly rootId: RootId;
  readonly selfId: DialogId;
}

/** Any dialog, main or side: by its whole id, as it came from a list, a request or a database, or by its tree's and its own. */
export type DialogReference = string | DialogAddress;

export const mainAddress = (rootId: RootId): DialogAddress => ({ rootId, selfId: mainDialogOf(rootId) });
