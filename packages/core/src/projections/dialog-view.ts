import type { AgentId, DialogId, DialogView } from "@colloquy/schema";
import { dialogState } from "../gate/waiting.ts";
import type { AtWork } from "../prompt/rules.ts";
import { type Dialog, type Run, runOf, type Tree, turnsOf } from "../state/tree.ts";
import { summaryOf } from "../step/summary.ts";
import { iso } from "../texts/time.ts";
import type { ContextGauge } from "../view/context-gauge.ts";
import { latestOf, type Sayings } from "./projections.ts";
import { questionView } from "./question-view.ts";

/** What a view shows besides the folded tree: what only a running process knows, and words that are in the log only. */
export interface ViewSources {
  /** Some process is at work on the tree. */
  readonly isDriven: boolean;
  /** `activeMs`: how long the agent's current work has taken so far. */
  readonly atWork: (dialog: DialogId, agent: AgentId) => (AtWork & { readonly activeMs: number }) | undefined;
  readonly sayings: Sayings;
  readonly gauge: (run: Run | undefined, agent: AgentId) => ContextGauge;
}

/** A dialog as people and programs see it. */
export function dialogView(tree: Tree, id: DialogId, sources: ViewSources): DialogView | undefined {
  const { isDriven, atWork, sayings, gauge } = sources;
  const dialog = tree.dialogs.get(id);
  if (!dialog) return undefined;
  const { runState, needsDrive } = latestOf(tree, dialog, sayings);
  const currentTool = dialog.agents.map((agent) => atWork(id, agent)?.tool).find((tool) => tool !== undefined);
  const runs = [...tree.runs.values()].filter((run) => run.dialog === id);
  const turns = turnsOf(tree, dialog).map(({ it }) => it);
  const asks = turns.flatMap((turn) => [...turn.asks, ...turn.wakingAsks]).flatMap((ask) => tree.asks.get(ask) ?? []);
  const asker = dialog.assignment === undefined ? undefined : tree.asks.get(dialog.assignment)?.from.agent;
  const unread = [...new Set(turns.flatMap((turn) => turn.queue))].toSorted((a, b) => a - b);
  const state = dialogState(tree, id);
  const summary = summaryOf(dialog);
  return {
    rootId: tree.rootId,
    selfId: id,
    agentId: dialog.agent,
    title: dialog.title,
    taskDocPath: dialog.taskDocPath,
    createdAt: iso(dialog.createdAt),
    lastModified: iso(dialog.lastModified),
    status: dialog.status,
    ...(runState !== undefined && { runState }),
    state: state === "working" && !isDriven ? "interrupted" : state,
    needsDrive,
    generating: dialog.agents.some((agent) => atWork(id, agent) !== undefined),
    ...(dialog.side && { supdialogId: dialog.side.asker }),
    ...(dialog.side?.session !== undefined && { session: dialog.side.session }),
    ...(dialog.side?.branch !== undefined && { branch: dialog.side.branch }),
    ...(asker !== undefined && { askedBy: asker }),
    ...(dialog.stopped && { stopped: stoppedView(dialog.stopped) }),
    ...(tree.copied && { copied: copiedView(tree.copied) }),
    course: dialog.course,
    currentCourse: dialog.course,
    phase: dialog.phase,
    messages: dialog.messages,
    seq: tree.seq,
    ...(summary !== undefined && { summary }),
    references: [...dialog.references],
    participants: participantsOf(tree, dialog, sources),
    context: gauge(runOf(tree, id, dialog.agent), dialog.agent),
    usage: { tokens: tree.spent.tokens, ...(tree.spent.cost > 0 && { cost: tree.spent.cost }) },
    workedMs: runs.reduce((sum, run) => sum + run.workedMs + (atWork(id, run.agent)?.activeMs ?? 0), 0),
    ...(currentTool !== undefined && { currentTool }),
    pending: asks.map((ask) => ({
      agentId: ask.recipient,
      dialogId: ask.to,
      headline: ask.headline,
      askedAt: iso(ask.askedAt),
      queued: ask.turn === undefined,
    })),
    questions: dialog.questions.flatMap((one) => tree.questions.get(one) ?? []).map((one) => questionView(tree, one)),
    reminders: [...dialog.reminders],
    queuedMessages: unread.length,
    unread: [...unread],
    sessions: dialog.side
      ? []
      : [...tree.registry.values()].map((session) => ({
          agentId: session.agent,
          slug: session.slug,
          dialogId: session.dialog,
          locked: tree.dialogs.get(session.dialog)?.assignment !== undefined,
          createdAt: iso(session.createdAt),
          lastAccessed: iso(session.lastAccessed),
        })),
  };
}

function participantsOf(tree: Tree, dialog: Dialog, { atWork, sayings }: ViewSources): DialogView["participants"] {
  const { participants } = latestOf(tree, dialog, sayings);
  return Object.fromEntries(
    Object.entries(participants).map(([agent, { run, ...kept }]) => {
      const work = atWork(dialog.id, agent as AgentId);
      const tool = work?.tool === undefined ? {} : { currentTool: work.tool, toolStartedAt: iso(work.sinceMs) };
      const workedMs = (runOf(tree, dialog.id, agent as AgentId)?.workedMs ?? 0) + (work?.activeMs ?? 0);
      return [agent, { ...kept, workedMs, run: { ...run, ...(work && { status: "executing" as const }), ...tool } }];
    }),
  );
}

const copiedView = ({ as, from, seq }: NonNullable<Tree["copied"]>): NonNullable<DialogView["copied"]> => ({ as, from, seq });

const stoppedView = ({ reason, by, at }: NonNullable<Dialog["stopped"]>) => ({
  code: reason.code,
  message: reason.message,
  ...(by !== undefined && { by }),
  at: iso(at),
});
