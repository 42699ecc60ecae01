import {
  type AskId,
  type CallPart,
  isCall,
  type QuestionId,
  textOf,
  type TreeEvent,
  type TreeEventOf,
  unreachable,
} from "@colloquy/schema";
import * as asks from "./apply-ask.ts";
import * as questions from "./apply-question.ts";
import { hear } from "./apply-message.ts";
import { askUndo, canBeUndone, endUndo } from "./apply-undo.ts";
import { noteUnknown, settle } from "./apply-settled.ts";
import { touchedBy } from "../step/call-effects.ts";
import { changeDialog, changeRun, changeRuns, changeTurn, refreshReady, withDialog, withoutTurn } from "./change.ts";
import { callHash, hash } from "./hash.ts";
import { excerptOf } from "../step/summary.ts";
import { PersistentMap } from "./persistent-map.ts";
import { oldestOpen } from "../view/view-start.ts";
import { type Call, type Dialog, receiptKey, type Stopped, type Tree, type Turn, turnAt } from "./tree.ts";

/** How many characters of a summary the state keeps. The event has all of it. */
const MAX_SUMMARY_CHARACTERS = 2_000;
const MAX_REFERENCES = 50;

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
      return asks.register(withDialog(withOwner(withTask(tree, event), event), newDialog(tree, event)), event);
    case "dialog.copied":
      return copied(tree, event);
    case "dialog.renamed":
      return changeDialog(spend(tree, spentOn(event)), event.dialog, () => ({ title: event.title }));
    case "dialog.summarised":
      return changeDialog(spend(tree, spentOn(event)), event.dialog, ({ messages }) => ({
        written: { summary: event.summary.slice(0, MAX_SUMMARY_CHARACTERS), messages },
      }));
    case "message.added":
      return hear(tree, event);
    case "message.acknowledged":
      return changeDialog(spend(tree, spentOn(event)), event.dialog, () => ({}));
    case "phase.set":
      return changeDialog(tree, event.dialog, ({ summary }) => ({
        phase: event.phase,
        summary: event.summary?.slice(0, MAX_SUMMARY_CHARACTERS) ?? summary,
      }));
    case "note.added":
      return changeTurn(
        changeRun(tree, event, (run) => ({
          docs: { ...run.docs, ...event.docs },
          contextTold: event.code === "context_filling" ? run.context : run.contextTold,
        })),
        event,
        (turn) =>
          isNews(event.code)
            ? {}
            : {
                // A note that only introduces a message gives the agent nothing to think about.
                newestSeq: event.code === "busy" ? turn.newestSeq : tree.seq,
                toldEmpty: turn.toldEmpty || event.code === "empty_end",
                notesGiven: [...turn.notesGiven, event.code],
                stands: event.stands ?? turn.stands,
              },
      );
    case "step.ended":
      return endStep(tree, event);
    case "definition.changed":
      return changeTurn(tree, event, () => ({ toldDefinition: event.definition }));
    case "step.cut":
      return changeDialog(
        changeRun(spend(tree, { ms: event.ms }), event, (run) => ({ workedMs: run.workedMs + event.ms })),
        event.dialog,
        ({ gen }) => ({
          gen: Math.max(gen, event.gen),
        }),
      );
    case "step.attempted":
      return changeTurn(tree, event, (turn) => ({ attempts: turn.attempts + 1, alone: event.alone ?? false }));
    case "call.started":
      return changeTurn(tree, event, (turn) => ({
        calls: turn.calls.map((call) =>
          call.id === event.call ? { ...call, started: true, ...(event.staged && { isStaged: true }) } : call,
        ),
      }));
    case "call.ran":
      return changeTurn(worked(tree, event), event, (turn) => ({
        calls: turn.calls.map((call) => (call.id === event.call ? { ...call, started: true, ran: touchedBy(event.effects) } : call)),
      }));
    case "call.undo_asked":
      return askUndo(
        changeDialog(tree, event.dialog, () => ({})),
        event,
      );
    case "call.undone":
      return endUndo(
        changeDialog(tree, event.dialog, () => ({})),
        event,
      );
    case "call.settled":
      return settle(
        changeDialog(tree, event.dialog, () => ({})),
        event,
      );
    case "call.released":
      return questions.release(tree, event);
    case "call.held":
      return questions.hold(tree, event);
    case "call.ended":
      return endCall(tree, event);
    case "document.changed":
      return {
        ...tree,
        task: tree.task && event.path.endsWith("/config.json") ? { ...tree.task, config: event.to } : tree.task,
        unwritten: [
          ...tree.unwritten,
          { path: event.path, from: event.from, to: event.to, dialog: event.dialog, call: event.call, seq: tree.seq },
        ],
      };
    case "document.written":
      return { ...tree, unwritten: tree.unwritten.filter((one) => one.path !== event.path || one.to !== event.to) };
    case "turn.ended":
      return withoutTurn(tree, event);
    case "ask.opened":
      return asks.open(tree, event);
    case "assignment.begun":
      return asks.begin(tree, event);
    case "ask.answered":
      return asks.answer(tree, event);
    case "question.asked":
      return questions.applyAsked(tree, event);
    case "question.revised":
      return questions.revise(tree, event);
    case "question.discussed":
      return questions.discuss(tree, event);
    case "question.replied":
      return questions.reply(tree, event);
    case "question.closed":
      return questions.close(tree, event);
    case "task.reported": {
      const { status, summary, asks = false } = event;
      if (!tree.task) return tree;
      const failures = status === "success" ? 0 : asks ? tree.task.failures : tree.task.failures + 1;
      return { ...tree, task: { ...tree.task, failures, report: { status, summary: summary.slice(0, MAX_SUMMARY_CHARACTERS), asks } } };
    }
    case "notice.added":
    case "decision.recorded":
      return changeDialog(tree, event.dialog, () => ({}));
    case "reminder.added":
      return remind(tree, event, (reminders) => [
        ...reminders,
        { id: event.reminder, content: event.content, ...(event.summary && { summary: true }) },
      ]);
    case "reminder.updated":
      return remind(tree, event, (reminders) =>
        reminders.map((one) => (one.id === event.reminder ? { ...one, content: event.content } : one)),
      );
    case "reminder.deleted":
      return remind(tree, event, (reminders) => reminders.filter((one) => one.id !== event.reminder));
    case "course.started":
      return startCourse(tree, event);
    case "dialog.stopped":
      return refreshReady(
        changeDialog(tree, event.dialog, ({ stopped }) => ({ stopped: stopped ? { ...stopped, tree: true } : newStop(tree, event) })),
        event.dialog,
      );
    case "dialog.resumed":
      return changeRuns(
        changeDialog(tree, event.dialog, () => ({ stopped: undefined })),
        event.dialog,
        (run) => ({ turns: run.turns.map((turn) => ({ ...turn, unattended: 0, repeats: {}, attempts: 0, alone: false })) }),
      );
    case "dialog.completed":
      return closeTree(tree, event.dialog, "completed");
    case "dialog.archived":
      return closeTree(tree, event.dialog, "archived");
    case "dialog.reopened":
      return changeDialog(tree, event.dialog, () => ({ status: "running", stopped: undefined }));
    case "dialog.died":
      return asks.bury(tree, event);
    case "dialog.reassigned":
      return refreshReady(
        changeDialog(tree, event.dialog, ({ agents }) => ({
          agent: event.agent,
          agents: [event.agent, ...agents.filter((one) => one !== event.agent)],
        })),
        event.dialog,
      );
    case "dialog.ended":
      return asks.end(tree, event);
    default:
      return unreachable(event);
  }
}

const copied = (tree: Tree, { dialog, as, from, at, holds }: TreeEventOf<"dialog.copied">): Tree => ({
  ...changeDialog(as === "import" ? cutLoose(tree) : tree, dialog, () => ({})),
  // Whether they took effect is settled where they ran.
  unsettled: [],
  // What a tool did, is undone where it did it, once.
  applied: tree.applied.filter(({ byTool }) => byTool === undefined),
  copied: { as, from, at, seq: tree.seq, ...(holds && { holds }) },
});

/** What tied a tree to another project: its deadlines, its task, and questions of other trees that close its own. */
function cutLoose(tree: Tree): Tree {
  let { asks, questions } = tree;
  for (const id of tree.deadlines.keys()) {
    const ask = asks.get(id as AskId);
    const question = questions.get(id as QuestionId);
    if (ask) asks = asks.set(ask.id, { ...ask, deadline: undefined });
    if (question) questions = questions.set(question.id, { ...question, deadline: undefined });
  }
  for (const id of tree.openQuestions.keys()) {
    const question = questions.get(id);
    if (question?.shares !== undefined) questions = questions.set(id, { ...question, shares: undefined });
  }
  return { ...tree, asks, questions, deadlines: PersistentMap.empty(), task: undefined };
}

const newStop = (tree: Tree, { reason, by, cause, tree: isTree }: TreeEventOf<"dialog.stopped">): Stopped => ({
  reason,
  by,
  at: tree.at,
  seq: tree.seq,
  cause,
  tree: isTree ?? cause !== undefined,
});

/** News for a turn that keeps waiting: it reads the note with its next step, and the note does not wake it. */
const isNews = (code: TreeEventOf<"note.added">["code"]): boolean => code === "side_stopped" || code === "side_resumed";

function newDialog(tree: Tree, event: TreeEventOf<"dialog.created">): Dialog {
  return {
    id: event.dialog,
    agent: event.agent,
    title: event.title,
    taskDocPath: event.taskDocPath,
    ...(event.program !== undefined && { program: event.program }),
    createdAt: tree.at,
    createdSeq: tree.seq,
    lastModified: tree.at,
    seq: tree.seq,
    status: "running",
    isDead: false,
    isEnded: false,
    stopped: undefined,
    side: event.side,
    assignment: undefined,
    waiting: [],
    lastAssignment: undefined,
    response: undefined,
    phase: event.side?.phase ?? "chat",
    summary: undefined,
    written: undefined,
    firstRequest: undefined,
    lastAnswer: undefined,
    references: [],
    course: 1,
    courseSeq: tree.seq,
    readFrom: tree.seq,
    gen: 0,
    messages: 0,
    agents: [event.agent],
    reminders: [],
    remindedSeq: 0,
    questions: [],
    answered: [],
  };
}

const withOwner = (tree: Tree, { side, by }: TreeEventOf<"dialog.created">): Tree => (side ? tree : { ...tree, owner: by });

const withTask = (tree: Tree, { task }: TreeEventOf<"dialog.created">): Tree =>
  task
    ? {
        ...tree,
        task: {
          id: task.id,
          kind: task.kind,
          key: task.key,
          turn: undefined,
          said: undefined,
          report: undefined,
          config: undefined,
          failures: 0,
          answered: [],
        },
      }
    : tree;

function endStep(tree: Tree, event: TreeEventOf<"step.ended">): Tree {
  const text = textOf(event.parts);
  const said = text !== "";
  const task = tree.task?.turn === event.turn && event.status ? { ...tree.task, said: event.status } : tree.task;
  const heard = changeDialog({ ...tree, task }, event.dialog, ({ agent, gen, messages, lastAnswer }) => ({
    gen: Math.max(gen, event.gen),
    messages: said ? messages + 1 : messages,
    lastAnswer: event.ends && said && event.agent === agent ? { seq: tree.seq, text: excerptOf(event.whole ?? text) } : lastAnswer,
  }));
  const spent = spend(heard, { tokens: event.usage ? event.usage.input + event.usage.output : 0, cost: event.cost ?? 0, ms: event.ms });
  const worked = changeRun(spent, event, (run) => ({
    workedMs: run.workedMs + event.ms,
    lastProcessedMessageIndex: Math.max(run.lastProcessedMessageIndex, event.index),
    sessionId: event.sessionId ?? run.sessionId,
    docs: event.docs ? { ...run.docs, ...event.docs } : run.docs,
    context: event.usage ? event.usage.input + event.usage.output : run.context,
  }));
  return event.ends ? withoutTurn(worked, event) : changeTurn(worked, event, (turn) => afterStep(turn, event, tree.seq));
}

const afterStep = (turn: Turn, event: TreeEventOf<"step.ended">, seq: number): Partial<Turn> => ({
  steps: event.step,
  // If an urgent message caused this step, the calls of the step before stay open.
  stepSeq: turn.calls.length > 0 ? turn.stepSeq : seq,
  urgentSeq: turn.urgentSeq > event.seen || event.parts.some(isCall) ? turn.urgentSeq : 0,
  unattended: turn.unattended + 1,
  stands: event.stands ?? turn.stands,
  definition: event.definition ?? turn.definition,
  toldDefinition: undefined,
  seen: event.seen,
  queue: turn.queue.filter((seq) => seq > event.seen),
  calls: [...turn.calls, ...event.parts.filter(isCall).map(newCall)],
  attempts: 0,
  alone: false,
});

const newCall = (part: CallPart): Call => ({
  id: part.call,
  tool: part.tool,
  kind: part.kind,
  repeatable: part.repeatable ?? false,
  polls: part.polls ?? false,
  started: false,
  held: undefined,
  isChanged: false,
  file: fileOf(part),
  hash: callHash(part),
});

const FILE_TOOLS = new Set(["read_file", "write_file", "edit_file"]);

function fileOf({ tool, input }: CallPart): string | undefined {
  const path = FILE_TOOLS.has(tool) && typeof input === "object" && input !== null && "path" in input ? input.path : undefined;
  return typeof path === "string" ? path : undefined;
}

/** Adds the time that a call took. */
const worked = (tree: Tree, event: TreeEventOf<"call.ended" | "call.ran">): Tree =>
  event.ms === undefined ? tree : changeRun(spend(tree, { ms: event.ms }), event, (run) => ({ workedMs: run.workedMs + (event.ms ?? 0) }));

function endCall(tree: Tree, event: TreeEventOf<"call.ended">): Tree {
  const { docs } = event;
  const spent = worked(tree, event);
  const settled = { ...spent, unwritten: tree.unwritten.filter((one) => one.call !== event.call) };
  const shown = docs ? changeRun(settled, event, (run) => ({ docs: { ...run.docs, ...docs } })) : settled;
  const file = event.outcome === undefined ? callAt(tree, event)?.file : undefined;
  const kept =
    file === undefined ? shown : changeDialog(shown, event.dialog, ({ references }) => ({ references: withFile(references, file) }));
  const call = callAt(tree, event);
  const known = call && event.outcome === undefined ? canBeUndone(kept, event, call, turnAt(tree, event)?.stepSeq ?? 0) : kept;
  return changeTurn(call ? noteUnknown(known, event, call) : known, event, (turn) => {
    const ended = turn.calls.find((call) => call.id === event.call);
    if (!ended) return {};
    const again = repetition(ended, event.output);
    return {
      newestSeq: tree.seq,
      calls: turn.calls.filter((call) => call !== ended),
      repeats: ended.polls ? turn.repeats : { ...turn.repeats, [again]: (turn.repeats[again] ?? 0) + 1 },
    };
  });
}

const callAt = (tree: Tree, event: TreeEventOf<"call.ended">): Call | undefined =>
  turnAt(tree, event)?.calls.find((call) => call.id === event.call);

const withFile = (references: readonly string[], file: string): readonly string[] =>
  [...references.filter((one) => one !== file), file].slice(-MAX_REFERENCES);

/** Calls count as repeated if tool, input and result are the same. */
export const repetition = (call: Pick<Call, "hash">, output: string): string => hash(`${call.hash} ${output}`);

function remind(
  tree: Tree,
  event: { readonly dialog: Dialog["id"]; readonly by?: string | undefined },
  change: (reminders: Dialog["reminders"]) => Dialog["reminders"],
): Tree {
  return changeDialog(tree, event.dialog, ({ reminders, remindedSeq }) => ({
    reminders: change(reminders),
    remindedSeq: event.by === undefined ? remindedSeq : tree.seq,
  }));
}

function startCourse(tree: Tree, event: TreeEventOf<"course.started">): Tree {
  const started = changeDialog(spend(tree, spentOn(event)), event.dialog, ({ agents }) => ({
    course: event.course,
    courseSeq: tree.seq,
    readFrom: Math.min(tree.seq, ...agents.map((agent) => oldestOpen(tree, event.dialog, agent))),
    gen: 0,
  }));
  return changeRuns(started, event.dialog, (run) => ({
    sessionId: undefined,
    context: 0,
    contextTold: 0,
    // Every open turn reads the first message of the new course as soon as its gate allows.
    turns: run.turns.map((turn) => ({ ...turn, newestSeq: tree.seq })),
  }));
}

/** Closing the main dialog closes the whole tree. Earlier events have ended its asks, questions and turns. */
function closeTree(tree: Tree, dialog: Dialog["id"], status: "completed" | "archived"): Tree {
  const isMain = (dialog as string) === (tree.rootId as string);
  const ids = isMain ? [...tree.dialogs.values()].map((one) => one.id) : [dialog];
  return ids.reduce(
    (closed, id) =>
      refreshReady(
        changeDialog(closed, id, () => ({ status, stopped: undefined })),
        id,
      ),
    tree,
  );
}

const spentOn = ({ usage, cost = 0 }: Pick<TreeEventOf<"dialog.renamed">, "usage" | "cost">) => ({
  tokens: usage ? usage.input + usage.output : 0,
  cost,
});

function spend(tree: Tree, { tokens = 0, cost = 0, ms = 0 }): Tree {
  const { spent } = tree;
  return { ...tree, spent: { tokens: spent.tokens + tokens, cost: spent.cost + cost, ms: spent.ms + ms } };
}

/** Keeps the reply to a command, so that a repetition gets the same one. */
function remember(tree: Tree, event: TreeEvent): Tree {
  if (!("msgId" in event) || event.msgId === undefined) return tree;
  const receipt = { seq: tree.seq, hash: event.hash ?? "" };
  return { ...tree, receipts: tree.receipts.set(receiptKey(event.by ?? "", event.msgId), receipt) };
}
