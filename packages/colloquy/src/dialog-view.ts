import {
  type AtWork,
  type ContextGauge,
  type Dialog,
  dialogState,
  type DialogState,
  iso,
  latestOf,
  questionView,
  type Reminder,
  type Run,
  runOf,
  type Sayings,
  type Tree,
  turnsOf,
} from "@colloquy/core";
import type { AgentId, DialogId, Phase, QuestionView, RootId, Status } from "@colloquy/schema";

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
  readonly phase: Phase;
  /** What was last handed on with a phase. */
  readonly summary?: string;
  /** Files that its agents read or wrote, the last one last. */
  readonly references: readonly string[];
  /** A model is being asked, or a tool runs, in this process. */
  readonly generating: boolean;
  readonly participants: Readonly<Record<string, Participant>>;
  readonly context: ContextGauge;
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
  /** The messages that somebody whom they address has not read, by `seq`. */
  readonly unread: readonly number[];
  /** Main dialogs only. */
  readonly sessions: readonly { readonly agentId: string; readonly slug: string; readonly dialogId: DialogId; readonly locked: boolean }[];
}

type Recorded = ReturnType<typeof latestOf>["participants"][string];

/** As in `latest.yaml`, with what only the living process knows, and the time with a step in flight. */
export interface Participant extends Omit<Recorded, "run"> {
  readonly workedMs: number;
  readonly run: Omit<Recorded["run"], "status"> & {
    readonly status: "executing" | "paused" | "done";
    readonly currentTool?: string;
    readonly toolStartedAt?: string;
  };
}

type Work = (dialog: DialogId, agent: AgentId) => AtWork | undefined;

/** `isDriven`: somebody is at work on the tree in this process. */
export function dialogView(
  tree: Tree,
  id: DialogId,
  isDriven: boolean,
  atWork: Work,
  sayings: Sayings,
  gauge: (run: Run | undefined, agent: AgentId) => ContextGauge,
): DialogView | undefined {
  const dialog = tree.dialogs.get(id);
  if (!dialog) return undefined;
  const currentTool = dialog.agents.map((agent) => atWork(id, agent)?.tool).find((tool) => tool !== undefined);
  const runs = [...tree.runs.values()].filter((run) => run.dialog === id);
  const turns = turnsOf(tree, dialog).map(({ it }) => it);
  const asks = turns.flatMap((turn) => [...turn.asks, ...turn.each]).flatMap((ask) => tree.asks.get(ask) ?? []);
  const asker = dialog.assignment === undefined ? undefined : tree.asks.get(dialog.assignment)?.from.agent;
  const unread = [...new Set(turns.flatMap((turn) => turn.queue))].toSorted((a, b) => a - b);
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
    phase: dialog.phase,
    ...(dialog.summary !== undefined && { summary: dialog.summary }),
    references: dialog.references,
    generating: dialog.agents.some((agent) => atWork(id, agent) !== undefined),
    participants: participantsOf(tree, dialog, atWork, sayings),
    context: gauge(runOf(tree, id, dialog.agent), dialog.agent),
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
    queuedMessages: unread.length,
    unread,
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

function participantsOf(tree: Tree, dialog: Dialog, atWork: Work, sayings: Sayings): DialogView["participants"] {
  const { participants } = latestOf(tree, dialog, sayings);
  return Object.fromEntries(
    Object.entries(participants).map(([agent, { run, ...kept }]): [string, Participant] => {
      const work = atWork(dialog.id, agent as AgentId);
      const tool = work?.tool === undefined ? {} : { currentTool: work.tool, toolStartedAt: iso(work.sinceMs) };
      const workedMs = runOf(tree, dialog.id, agent as AgentId)?.workedMs ?? 0;
      return [agent, { ...kept, workedMs, run: { ...run, ...(work && { status: "executing" as const }), ...tool } }];
    }),
  );
}

const stoppedView = ({ reason, by, at }: NonNullable<Dialog["stopped"]>) => ({
  code: reason.code,
  message: reason.message,
  ...(by !== undefined && { by }),
  at: iso(at),
});
