import {
  type Dialog,
  dialogState,
  type DialogState,
  iso,
  latestOf,
  questionView,
  type Reminder,
  type Sayings,
  type Tree,
  turnsOf,
} from "@colloquy/core";
import type { DialogId, QuestionView, RootId, Status } from "@colloquy/schema";

/** A dialog as people and programs see it. */
export interface DialogView {
  readonly rootId: RootId;
  readonly selfId: DialogId;
  readonly agentId: string;
  readonly title: string;
  readonly taskDocPath: string;
  readonly createdAt: string;
  readonly lastModified: string;
  readonly status: Status;
  readonly state: DialogState | "interrupted";
  /** For side dialogs. */
  readonly supdialogId?: DialogId;
  readonly session?: string;
  readonly askedBy?: string;
  readonly stopped?: { readonly code: string; readonly message: string; readonly by?: string; readonly at: string };
  readonly course: number;
  readonly messages: number;
  readonly seq: number;
  readonly participants: ReturnType<typeof latestOf>["participants"];
  readonly usage: { readonly tokens: number; readonly cost: number | undefined };
  readonly workedMs: number;
  readonly currentTool?: string;
  readonly pending: readonly {
    readonly agentId: string;
    readonly dialogId: DialogId;
    readonly headline: string;
    readonly askedAt: string;
    readonly queued: boolean;
  }[];
  readonly questions: readonly QuestionView[];
  readonly reminders: readonly Reminder[];
  readonly queuedMessages: number;
  /** Main dialogs only. */
  readonly sessions: readonly { readonly agentId: string; readonly slug: string; readonly dialogId: DialogId; readonly locked: boolean }[];
}

/** `isDriven`: somebody is at work on the tree in this process. */
export function dialogView(
  tree: Tree,
  id: DialogId,
  isDriven: boolean,
  currentTool: string | undefined,
  sayings: Sayings,
): DialogView | undefined {
  const dialog = tree.dialogs.get(id);
  if (!dialog) return undefined;
  const { participants } = latestOf(tree, dialog, sayings);
  const runs = [...tree.runs.values()].filter((run) => run.dialog === id);
  const turns = turnsOf(tree, dialog).map(({ it }) => it);
  const asks = turns.flatMap((turn) => [...turn.asks, ...turn.each]).flatMap((ask) => tree.asks.get(ask) ?? []);
  const asker = dialog.assignment === undefined ? undefined : tree.asks.get(dialog.assignment)?.from.agent;
  const state = dialogState(tree, id);
  return {
    rootId: tree.rootId,
    selfId: id,
    agentId: dialog.agent,
    title: dialog.title,
    taskDocPath: dialog.taskDocPath,
    createdAt: iso(dialog.createdAt),
    lastModified: iso(dialog.lastModified),
    status: dialog.status,
    state: state === "working" && !isDriven ? "interrupted" : state,
    ...(dialog.side && { supdialogId: dialog.side.asker }),
    ...(dialog.side?.session !== undefined && { session: dialog.side.session }),
    ...(asker !== undefined && { askedBy: asker }),
    ...(dialog.stopped && { stopped: stoppedView(dialog.stopped) }),
    course: dialog.course,
    messages: dialog.messages,
    seq: tree.seq,
    participants,
    usage: { tokens: tree.spent.tokens, cost: tree.spent.cost > 0 ? tree.spent.cost : undefined },
    workedMs: runs.reduce((sum, run) => sum + run.workedMs, 0),
    ...(currentTool !== undefined && { currentTool }),
    pending: asks.map((ask) => ({
      agentId: ask.recipient,
      dialogId: ask.to,
      headline: ask.headline,
      askedAt: iso(ask.askedAt),
      queued: ask.turn === undefined,
    })),
    questions: dialog.questions.flatMap((one) => tree.questions.get(one) ?? []).map((one) => questionView(tree, one)),
    reminders: dialog.reminders,
    queuedMessages: turns.reduce((sum, turn) => sum + turn.queue.length, 0),
    sessions: dialog.side
      ? []
      : [...tree.registry.values()].map((session) => ({
          agentId: session.agent,
          slug: session.slug,
          dialogId: session.dialog,
          locked: tree.dialogs.get(session.dialog)?.assignment !== undefined,
        })),
  };
}

const stoppedView = ({ reason, by, at }: NonNullable<Dialog["stopped"]>) => ({
  code: reason.code,
  message: reason.message,
  ...(by !== undefined && { by }),
  at: iso(at),
});
