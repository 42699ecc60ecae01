import type { AgentId, DialogId, QuestionId, RecordedState } from "@colloquy/schema";
import { iso } from "../texts/time.ts";
import { type Ask, askOf, type Dialog, type Tree, turnsOf } from "../state/tree.ts";
import { dialogState } from "../gate/waiting.ts";

/** A dialog in the picture of who waits for whom. */
export interface TreeNode {
  readonly selfId: DialogId;
  readonly agentId: AgentId;
  readonly title: string;
  readonly session?: string;
  readonly branch?: string;
  readonly state: RecordedState;
  readonly createdAt: string;
  /** Agents by id, people as "person". */
  readonly waitsFor: readonly string[];
  readonly questions: readonly {
    readonly id: QuestionId;
    readonly headline: string;
    readonly kind: string;
    readonly askedAt: string;
    readonly deadline?: string;
  }[];
  readonly children: readonly TreeNode[];
}

export function treeView(tree: Tree): TreeNode | undefined {
  const below = new Map<DialogId, Dialog[]>();
  for (const dialog of tree.dialogs.values()) {
    if (!dialog.side) continue;
    const siblings = below.get(dialog.side.asker) ?? [];
    siblings.push(dialog);
    below.set(dialog.side.asker, siblings);
  }
  const node = (dialog: Dialog): TreeNode => ({
    selfId: dialog.id,
    agentId: dialog.agent,
    title: dialog.title,
    ...(dialog.side?.session !== undefined && { session: dialog.side.session }),
    ...(dialog.side?.branch !== undefined && { branch: dialog.side.branch }),
    state: dialogState(tree, dialog.id),
    createdAt: iso(dialog.createdAt),
    waitsFor: waitsFor(tree, dialog),
    questions: dialog.questions
      .flatMap((id) => tree.questions.get(id) ?? [])
      .map((one) => ({
        id: one.id,
        headline: one.headline,
        kind: one.kind,
        askedAt: iso(one.askedAt),
        ...(one.deadline !== undefined && { deadline: iso(one.deadline) }),
      })),
    children: (below.get(dialog.id) ?? []).toSorted((a, b) => a.createdSeq - b.createdSeq).map(node),
  });
  const main = tree.dialogs.get(tree.rootId);
  return main && node(main);
}

function waitsFor(tree: Tree, dialog: Dialog): readonly string[] {
  const turns = turnsOf(tree, dialog).map(({ it }) => it);
  const asks = turns
    .flatMap((turn) => [...turn.asks, ...turn.wakingAsks])
    .flatMap((id): Ask[] => [askOf(tree, id)].filter((ask) => ask !== undefined));
  const people = turns.some((turn) => turn.questions.length > 0) ? ["person"] : [];
  return [...new Set([...asks.map((ask) => ask.recipient as string), ...people])];
}
