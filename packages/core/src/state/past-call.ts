import type { AgentId, CallId, DialogId, UndoConflict } from "@colloquy/schema";
import type { Tree } from "./tree.ts";

/** A command whose changes were applied. A tree keeps only the newest ones. */
export interface AppliedCall {
  readonly call: CallId;
  readonly dialog: DialogId;
  readonly agent: AgentId;
  readonly tool: string;
  /** The first paths it changed, and the number of further ones. */
  readonly paths: readonly string[];
  readonly more: number;
  /** The person who asked to undo it, until the result is known. */
  readonly undoBy: string | undefined;
  readonly isUndone: boolean;
  /** Why the last attempt to undo it failed. */
  readonly refused: { readonly why: "conflict" | "gone"; readonly conflicts: readonly UndoConflict[] } | undefined;
}

/** A call whose outcome nobody knows, until a person settles it. */
export interface Unsettled {
  readonly call: CallId;
  readonly dialog: DialogId;
  readonly agent: AgentId;
  readonly tool: string;
  readonly at: number;
}

/** A person asked to undo it, and the result is not known yet. */
export const isBeingUndone = ({ undoBy }: AppliedCall): boolean => undoBy !== undefined;
export const appliedCall = (tree: Tree, call: CallId): AppliedCall | undefined => tree.applied.find((one) => one.call === call);
