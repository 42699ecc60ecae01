import { runKey, type TreeEventOf } from "@colloquy/schema";
import { markers } from "../view/markers.ts";
import { iso } from "../texts/time.ts";
import { type Ask, type Dialog, mainDialog, type Run, runOf, type Tree, type Turn, turnsOf } from "../state/tree.ts";

/**
 * A derived file that people and other programs read. If deleted, it is recreated identically. Without content, the file does not exist.
 */
export interface ProjectionFile {
  readonly path: string;
  readonly content: unknown;
}

/** The text of events, by `seq`. The folded state holds no text, so the writer of the files reads it from the log. */
export type Sayings = ReadonlyMap<number, string>;

/** Skips dialogs unchanged since `before`, whose files are already written. */
export function projectionsOf(tree: Tree, sayings: Sayings, before?: Tree): readonly ProjectionFile[] {
  if (!mainDialog(tree)) return [];
  return [
    ...changedDialogs(tree, before).flatMap((dialog) => filesOf(tree, dialog, folderOf(dialog), sayings)),
    { path: "registry.yaml", content: registryOf(tree) },
  ];
}

export const changedDialogs = (tree: Tree, before: Tree | undefined): readonly Dialog[] =>
  [...tree.dialogs.values()].filter((dialog) => dialog.seq !== before?.dialogs.get(dialog.id)?.seq);

/** A dialog's folder within its tree's folder. */
const folderOf = (dialog: Dialog): string => (dialog.side ? `subdialogs/${dialog.id}/` : "");

/** A side dialog's last answer. Its text is in the log, at `dialog.response.seq`. */
export function responseFile(dialog: Dialog, answered: TreeEventOf<"ask.answered">): ProjectionFile {
  return {
    path: `${folderOf(dialog)}response.yaml`,
    content: {
      to: dialog.response?.to,
      callId: answered.ask.split(".")[0],
      ...(answered.marker !== undefined && { marker: markers[answered.marker] }),
      content: answered.content,
      respondedAt: iso(dialog.response?.at ?? 0),
    },
  };
}

/** The events whose text appears in a dialog's files: its assignment, its delegations and their answers. */
export function sayingsIn(tree: Tree, dialog: Dialog): readonly number[] {
  const assignment = dialog.lastAssignment;
  return [...(assignment ? [assignment.seq] : []), ...delegationSayings(tree, dialog)];
}

/** The events whose words are in a dialog's view: what its open turns delegated, and what came back. */
export function delegationSayings(tree: Tree, dialog: Dialog): readonly number[] {
  const turns = turnsOf(tree, dialog).map(({ it }) => it);
  return [
    ...turns.flatMap((turn) => delegationsOf(tree, turn)).map((ask) => ask.seq),
    ...turns.flatMap((turn) => turn.completed).map((one) => one.seq),
  ];
}

const filesOf = (tree: Tree, dialog: Dialog, folder: string, sayings: Sayings): readonly ProjectionFile[] => [
  { path: `${folder}dialog.yaml`, content: identityOf(tree, dialog, sayings) },
  { path: `${folder}latest.yaml`, content: latestOf(tree, dialog, sayings) },
  { path: `${folder}reminders.json`, content: dialog.reminders },
  { path: `${folder}q4h.yaml`, content: questionsOf(tree, dialog) },
  { path: `${folder}subdlg.yaml`, content: pendingOf(tree, dialog) },
];

function identityOf(tree: Tree, dialog: Dialog, sayings: Sayings) {
  const assignment = dialog.lastAssignment;
  return {
    id: dialog.id,
    rootId: tree.rootId,
    agentId: dialog.agent,
    title: dialog.title,
    taskDocPath: dialog.taskDocPath,
    createdAt: iso(dialog.createdAt),
    ...(dialog.side && {
      supdialogId: dialog.side.asker,
      ...(dialog.side.session !== undefined && { sessionSlug: dialog.side.session }),
      ...(dialog.side.branch !== undefined && { branch: dialog.side.branch }),
      ...(assignment && { assignmentFromSup: assignmentOf(assignment, sayings) }),
    }),
  };
}

const assignmentOf = (ask: Ask, sayings: Sayings) => ({
  askerDialogId: ask.from.dialog,
  askerAgentId: ask.from.agent,
  callId: ask.call ?? ask.id,
  kind: ask.kind,
  mentionList: `@${ask.recipient}`,
  tellaskContent: sayings.get(ask.seq) ?? ask.headline,
  originRole: "assistant",
  askedAt: iso(ask.askedAt),
});

function questionsOf(tree: Tree, dialog: Dialog) {
  if (dialog.questions.length === 0) return undefined;
  const questions = dialog.questions.flatMap((id) => tree.questions.get(id) ?? []);
  return {
    questions: questions.map((question) => ({
      id: question.id,
      mentionList: question.headline,
      tellaskContent: question.text,
      askedAt: iso(question.askedAt),
      callSiteRef: { course: question.course, seq: question.seq, ...(question.call !== undefined && { callId: question.call }) },
    })),
  };
}

function pendingOf(tree: Tree, dialog: Dialog) {
  const asks = turnsOf(tree, dialog)
    .flatMap(({ it }) => [...it.asks, ...it.wakingAsks])
    .flatMap((id) => tree.asks.get(id) ?? []);
  if (asks.length === 0) return undefined;
  return {
    pending: asks.map((ask) => {
      const slug = tree.dialogs.get(ask.to)?.side?.session;
      return {
        subdialogId: ask.to,
        agentId: ask.recipient,
        callId: ask.call ?? ask.id,
        kind: ask.kind,
        ...(slug !== undefined && { sessionSlug: slug }),
        askedAt: iso(ask.askedAt),
      };
    }),
  };
}

function registryOf(tree: Tree) {
  if (tree.registry.size === 0) return undefined;
  const sessions = [...tree.registry.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    sessions.map(([key, session]) => [
      key,
      {
        subdialogId: session.dialog,
        agentId: session.agent,
        tellaskSession: session.slug,
        createdAt: iso(session.createdAt),
        lastAccessed: iso(session.lastAccessed),
        locked: tree.dialogs.get(session.dialog)?.assignment !== undefined,
      },
    ]),
  );
}

/** The dialog while idle. What only a live process knows (`generating`, `executing`, the current tool) is false or absent. */
export function latestOf(tree: Tree, dialog: Dialog, sayings: Sayings) {
  const runs = dialog.agents.map((agent) => runOf(tree, dialog.id, agent)).filter((run) => run !== undefined);
  return {
    status: dialog.status,
    ...((dialog.stopped || dialog.isDead) && { runState: dialog.isDead ? ("dead" as const) : ("stopped" as const) }),
    needsDrive: runs.some((run) => tree.ready.has(runKey(run.dialog, run.agent))),
    generating: false,
    currentCourse: dialog.course,
    phase: dialog.phase,
    lastModified: iso(dialog.lastModified),
    seq: dialog.seq,
    participants: Object.fromEntries(runs.map((run) => [run.agent, participantOf(tree, run, sayings)])),
  };
}

const delegationsOf = (tree: Tree, turn: Turn): readonly Ask[] =>
  [...turn.asks, ...turn.wakingAsks].flatMap((id) => tree.asks.get(id) ?? []).filter((ask) => ask.kind === "delegate");

const participantOf = (tree: Tree, run: Run, sayings: Sayings) => ({
  lastProcessedMessageIndex: run.lastProcessedMessageIndex,
  contextTokens: run.context,
  ...(run.sessionId !== undefined && { sessionId: run.sessionId }),
  run: {
    id: runKey(run.dialog, run.agent),
    status: run.turns.length > 0 ? ("paused" as const) : ("done" as const),
    pendingDelegations: run.turns
      .flatMap((turn) => delegationsOf(tree, turn))
      .map((ask) => ({
        callId: ask.call ?? ask.id,
        dialogId: ask.to,
        recipient: ask.recipient,
        prompt: sayings.get(ask.seq) ?? ask.headline,
      })),
    completedDelegations: run.turns
      .flatMap((turn) => turn.completed)
      .map(({ call, dialog, recipient, seq, at }) => ({
        callId: call ?? dialog,
        dialogId: dialog,
        recipient,
        response: sayings.get(seq) ?? "",
        completedAt: iso(at),
      })),
    queuedInjections: run.turns.reduce((sum, turn) => sum + turn.queue.length, 0),
    createdAt: iso(run.createdAt),
    lastActivityAt: iso(run.lastActivityAt),
  },
});
