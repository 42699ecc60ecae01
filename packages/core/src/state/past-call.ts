import type { AgentId, CallId, DialogId, TreeEventOf, UndoConflict } from "@colloquy/schema";
import type { Tree } from "./tree.ts";

type UndoRefused = NonNullable<TreeEventOf<"call.undone">["refused"]>;

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
  /** It was not on a layer: its tool undoes it. The events from its step to its end have its input and result. */
  readonly byTool?: { readonly from: number; readonly to: number };
  /** What the tool's `undo` said. */
  readonly said?: string | undefined;
  /** Why the last attempt to undo it failed. */
  readonly refused: { readonly why: UndoRefused; readonly conflicts: readonly UndoConflict[] } | undefined;
}

/** A call whose outcome nobody knows, until a person settles it. */
export interface Unsettled {
  readonly call: CallId;
  readonly dialog: DialogId;
  readonly agent: AgentId;
  readonly tool: string;
  readonly at: number;
  /** Whether it was undone is what nobody knows. */
  readonly undo?: true;
}

/** A person asked to undo it, and the result is not known yet. */
export const isBeingUndone = ({ undoBy }: AppliedCall): boolean => undoBy !== undefined;
export const appliedCall = (tree: Tree, call: CallId): AppliedCall | undefined => tree.applied.find((one) => one.call === call);
