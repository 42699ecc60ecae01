import type { TreeNode } from "@colloquy/library";

/** Every dialog of a tree, askers before the dialogs they asked. */
export const nodesOf = (node: TreeNode): readonly TreeNode[] => [node, ...node.children.flatMap(nodesOf)];

export const stoppedIn = (node: TreeNode): readonly TreeNode[] => nodesOf(node).filter(({ state }) => state === "stopped");

export const workingIn = (node: TreeNode): readonly TreeNode[] => nodesOf(node).filter(({ state }) => state === "working");
