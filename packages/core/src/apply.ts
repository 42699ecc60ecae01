import { type AgentId, type DialogId, isCall, textOf, type TreeEvent, type TreeEventOf, unreachable } from "@colloquy/schema";
import { hash } from "./hash.ts";
import { hasWork } from "./next-step.ts";
import { receiptHash } from "./receipt.ts";
import { type Call, type Dialog, receiptKey, type Run, runKey, type Tree, type Turn } from "./tree.ts";

/**
 * The only place where a tree changes. Total: it never refuses, and every event of every released version has a case.
 * `at` is the time of the commit, in milliseconds.
 */
export function apply(tree: Tree, event: TreeEvent, at: number): Tree {
  const counted = { ...tree, seq: tree.seq + 1, at };
  return remember(change(counted, event), event);
}

/** Folds the events of one commit. */
export const applyAll = (tree: Tree, events: readonly TreeEvent[], at: number): Tree =>
  events.reduce((folded, event) => apply(folded, event, at), tree);

function change(tree: Tree, event: TreeEvent): Tree {
  switch (event.type) {
    case "dialog.created":
      return withDialog(tree, newDialog(tree, event));
    case "dialog.renamed":
      return changeDialog(tree, event.dialog, () => ({ title: event.title }));
    case "message.added":
      return hear(tree, event);
    case "note.added":
      return changeTurn(tree, event, () => ({ due: tree.seq, toldEmpty: event.code === "empty_end" }));
    case "step.ended":
      return endStep(tree, event);
    case "step.cut":
      return changeDialog(workFor(tree, event.dialog, event.agent, event.ms), event.dialog, ({ gen }) => ({ gen: Math.max(gen, event.gen) }));
    case "step.attempted":
      return changeTurn(tree, event, (turn) => ({ attempts: turn.attempts + 1, alone: event.alone ?? false }));
    case "call.started":
      return changeTurn(tree, event, (turn) => ({
        calls: turn.calls.map((call) => (call.id === event.call ? { ...call, started: true } : call)),
      }));
    case "call.ended":
      return endCall(tree, event);
    case "dialog.stopped":
      return settle(changeDialog(tree, event.dialog, () => ({ stopped: { reason: event.reason, by: event.by, at: tree.at } })), event.dialog);
    case "dialog.resumed":
      return resume(tree, event.dialog);
    case "dialog.completed":
      return close(tree, event.dialog, "completed");
    case "dialog.archived":
      return close(tree, event.dialog, "archived");
    case "dialog.reopened":
      return changeDialog(tree, event.dialog, () => ({ status: "running", stopped: undefined }));
    default:
      return unreachable(event);
  }
}

function newDialog(tree: Tree, event: TreeEventOf<"dialog.created">): Dialog {
  return {
    id: event.dialog,
    agent: event.agent,
    title: event.title,
    taskDocPath: event.taskDocPath,
    createdAt: tree.at,
    lastModified: tree.at,
    status: "running",
    stopped: undefined,
    course: 1,
    courseSeq: tree.seq,
    gen: 0,
    messages: 0,
    agents: [event.agent],
  };
}

function hear(tree: Tree, event: TreeEventOf<"message.added">): Tree {
  const counted = changeDialog(tree, event.dialog, ({ messages, agents }) => ({
    messages: messages + 1,
    agents: [...agents, ...event.to.filter((agent) => !agents.includes(agent))],
  }));
  return event.to.reduce((heard, agent) => {
    const run = heard.runs.get(runKey(event.dialog, agent)) ?? newRun(heard, event.dialog, agent);
    const turns = event.opens?.includes(agent) ? [...run.turns, newTurn(heard.seq)] : joinOldest(run.turns, heard.seq);
    return settleRun(heard, { ...run, turns, sessionId: event.sessionId ?? run.sessionId, lastActivityAt: heard.at });
  }, counted);
}

const joinOldest = ([oldest, ...others]: readonly Turn[], seq: number): readonly Turn[] =>
  oldest ? [{ ...oldest, due: seq, queue: [...oldest.queue, seq], unattended: 0 }, ...others] : [];

function endStep(tree: Tree, event: TreeEventOf<"step.ended">): Tree {
  const said = event.parts.some(isCall) || textOf(event.parts) !== "";
  const heard = changeDialog(workFor(tree, event.dialog, event.agent, event.ms), event.dialog, ({ gen, messages }) => ({
    gen: Math.max(gen, event.gen),
    messages: said ? messages + 1 : messages,
  }));
  const spent = {
    ...heard.spent,
    tokens: heard.spent.tokens + (event.usage ? event.usage.input + event.usage.output : 0),
    cost: heard.spent.cost + (event.cost ?? 0),
  };
  const run = heard.runs.get(runKey(event.dialog, event.agent));
  if (!run) return { ...heard, spent };
  const after = {
    ...run,
    lastProcessedMessageIndex: Math.max(run.lastProcessedMessageIndex, event.index),
    sessionId: event.sessionId ?? run.sessionId,
    turns: event.ends
      ? run.turns.filter((turn) => turn.id !== event.turn)
      : run.turns.map((turn) => (turn.id === event.turn ? afterStep(turn, event) : turn)),
  };
  return settleRun({ ...heard, spent }, after);
}

const afterStep = (turn: Turn, event: TreeEventOf<"step.ended">): Turn => ({
  ...turn,
  steps: event.step,
  unattended: turn.unattended + 1,
  seen: event.seen,
  queue: turn.queue.filter((seq) => seq > event.seen),
  calls: event.parts.filter(isCall).map(
    (part): Call => ({
      id: part.call,
      tool: part.tool,
      kind: part.kind,
      repeatable: part.repeatable ?? false,
      polls: part.polls ?? false,
      started: false,
      hash: hash(`${part.tool} ${JSON.stringify(part.input)}`),
    }),
  ),
  attempts: 0,
  alone: false,
});

function endCall(tree: Tree, event: TreeEventOf<"call.ended">): Tree {
  return changeTurn(tree, event, (turn) => {
    const ended = turn.calls.find((call) => call.id === event.call);
    if (!ended) return {};
    const sameAgain = repetition(ended, event.output);
    return {
      due: tree.seq,
      calls: turn.calls.filter((call) => call !== ended),
      repeats: ended.polls ? turn.repeats : { ...turn.repeats, [sameAgain]: (turn.repeats[sameAgain] ?? 0) + 1 },
    };
  });
}

/** What must be the same for a call to count as repeated: tool, input and result. */
export const repetition = (call: Call, output: string): string => hash(`${call.hash} ${output}`);

function resume(tree: Tree, dialog: DialogId): Tree {
  const spent = { ...tree.spent, agreedTokens: tree.spent.tokens, agreedCost: tree.spent.cost };
  const resumed = changeDialog({ ...tree, spent }, dialog, () => ({ stopped: undefined }));
  return changeRuns(resumed, dialog, (run) => ({
    turns: run.turns.map((turn) => ({ ...turn, unattended: 0, repeats: {}, attempts: 0, alone: false })),
  }));
}

function close(tree: Tree, dialog: DialogId, status: "completed" | "archived"): Tree {
  const closed = changeDialog(tree, dialog, () => ({ status, stopped: undefined }));
  return changeRuns(closed, dialog, () => ({ turns: [] }));
}

/** What a sender may repeat is kept with the answer that it got. */
function remember(tree: Tree, event: TreeEvent): Tree {
  if (!("msgId" in event) || event.msgId === undefined) return tree;
  const receipt = { seq: tree.seq, hash: receiptHash(event) };
  return { ...tree, receipts: tree.receipts.set(receiptKey(event.by ?? "", event.msgId), receipt) };
}

function workFor(tree: Tree, dialog: DialogId, agent: AgentId, ms: number): Tree {
  const run = tree.runs.get(runKey(dialog, agent));
  if (!run) return tree;
  return withRun(tree, { ...run, workedMs: run.workedMs + ms, lastActivityAt: tree.at });
}

const newRun = (tree: Tree, dialog: DialogId, agent: AgentId): Run => ({
  dialog,
  agent,
  turns: [],
  lastProcessedMessageIndex: 0,
  sessionId: undefined,
  createdAt: tree.at,
  lastActivityAt: tree.at,
  workedMs: 0,
});

const newTurn = (seq: number): Turn => ({
  id: seq,
  steps: 0,
  unattended: 0,
  seen: 0,
  due: seq,
  queue: [seq],
  calls: [],
  repeats: {},
  toldEmpty: false,
  attempts: 0,
  alone: false,
});

const withDialog = (tree: Tree, dialog: Dialog): Tree => ({ ...tree, dialogs: tree.dialogs.set(dialog.id, dialog) });
const withRun = (tree: Tree, run: Run): Tree => ({ ...tree, runs: tree.runs.set(runKey(run.dialog, run.agent), run) });

function changeDialog(tree: Tree, id: DialogId, changes: (dialog: Dialog) => Partial<Dialog>): Tree {
  const dialog = tree.dialogs.get(id);
  return dialog ? withDialog(tree, { ...dialog, lastModified: tree.at, ...changes(dialog) }) : tree;
}

function changeTurn(tree: Tree, at: { dialog: DialogId; agent: AgentId; turn: number }, changes: (turn: Turn) => Partial<Turn>): Tree {
  const run = tree.runs.get(runKey(at.dialog, at.agent));
  if (!run) return tree;
  const turns = run.turns.map((turn) => (turn.id === at.turn ? { ...turn, ...changes(turn) } : turn));
  return settleRun(changeDialog(tree, at.dialog, () => ({})), { ...run, turns, lastActivityAt: tree.at });
}

function changeRuns(tree: Tree, dialog: DialogId, changes: (run: Run) => Partial<Run>): Tree {
  const agents = tree.dialogs.get(dialog)?.agents ?? [];
  return agents.reduce((changed, agent) => {
    const run = changed.runs.get(runKey(dialog, agent));
    return run ? settleRun(changed, { ...run, ...changes(run) }) : changed;
  }, tree);
}

const settle = (tree: Tree, dialog: DialogId): Tree => changeRuns(tree, dialog, () => ({}));

/** Puts a run back and keeps `ready` true for it. Whatever may open or close a gate ends here. */
function settleRun(tree: Tree, run: Run): Tree {
  const key = runKey(run.dialog, run.agent);
  const changed = withRun(tree, run);
  const isReady = hasWork(changed, run);
  if (isReady === tree.ready.has(key)) return changed;
  return { ...changed, ready: isReady ? tree.ready.set(key, true) : tree.ready.delete(key) };
}
