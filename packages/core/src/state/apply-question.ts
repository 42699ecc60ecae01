import type { ApprovalVerdict, QuestionId, TreeEventOf } from "@colloquy/schema";
import { offeredChoices } from "../questions/choice-code.ts";
import { hash } from "./hash.ts";
import { headlineOf } from "../commands/title.ts";
import { normalisedWords } from "../output/normalised-words.ts";
import { changeDialog, changeTurn, openTurn, refreshReady, waitsAgain } from "./change.ts";
import type { Question, Tree } from "./tree.ts";

/** Code of the note given to a turn that asks a question which has been answered before. */
export const ASKED_BEFORE = "asked_before";

/** Identifies a question by its words, ignoring spelling differences and where its headline was cut. */
export function wordsHash({ headline, text }: { readonly headline: string; readonly text: string }): string {
  const isCut = headline.endsWith("…") && headlineOf(text) === headline;
  return hash(normalisedWords(isCut ? text : `${headline}\n${text}`));
}

const TREE_WIDE = new Set(["tokensPerTree", "costPerTree", "wallTimePerTree", "costPerDay"]);

export function applyAsked(tree: Tree, event: TreeEventOf<"question.asked">): Tree {
  const question: Question = {
    id: event.question,
    notification: event.notification,
    kind: event.kind,
    dialog: event.dialog,
    agent: event.agent,
    turn: event.turn,
    call: event.call,
    headline: event.headline,
    text: event.text,
    options: offeredChoices(event),
    multiple: event.multiple ?? false,
    allowOther: event.allowOther ?? true,
    deadline: event.deadline,
    otherwise: event.otherwise,
    source: event.source,
    sourceId: event.sourceId,
    limit: event.limit,
    needs: event.needs,
    topic: event.topic,
    reuses: event.reuses,
    shares: event.shares,
    given: event.given,
    tool: event.tool,
    classes: event.classes ?? [],
    basis: event.basis,
    hash: wordsHash(event),
    fields: event.form?.fields,
    askedAt: tree.at,
    course: event.course,
    seq: tree.seq,
    revision: 0,
    thread: [],
    alsoHolds: [],
    status: "open",
    closed: undefined,
  };
  const isTreeWide = event.limit !== undefined && TREE_WIDE.has(event.limit);
  const asked = changeDialog(
    {
      ...tree,
      questions: tree.questions.set(question.id, question),
      openQuestions: tree.openQuestions.set(question.id, true),
      deadlines: question.deadline === undefined ? tree.deadlines : tree.deadlines.set(question.id, question.deadline),
      limitQuestions: isTreeWide ? [...tree.limitQuestions, question.id] : tree.limitQuestions,
    },
    event.dialog,
    ({ questions }) => ({ questions: [...questions, question.id] }),
  );
  if (isTreeWide) return refreshAllReady(asked);
  if (event.turn === undefined || event.kind === "fault") return asked;
  return changeTurn(asked, { ...event, turn: event.turn }, (turn) => ({
    questions: [...turn.questions, question.id],
    notesGiven: event.reuses !== undefined || event.topic === "confirmed" ? [...turn.notesGiven, ASKED_BEFORE] : turn.notesGiven,
    urgentSeq: waitsAgain(turn),
    // A call's own question ends the call; a question that only holds a call leaves it open.
    calls: turn.calls.flatMap((call) => {
      if (call.id !== event.call) return [call];
      // If the tool itself asks, the call stays open. If it saved the state it needs to resume, it no longer counts as started.
      if (event.form) return [{ ...call, held: question.id, started: call.started && event.form.resume === undefined }];
      return event.kind === "question" || event.kind === "confirmation" ? [] : [{ ...call, held: question.id, reserved: undefined }];
    }),
  }));
}

/** One more call or turn waits for this question. */
export function hold(tree: Tree, event: TreeEventOf<"call.held">): Tree {
  const held = { dialog: event.dialog, agent: event.agent, turn: event.turn, call: event.call, needs: event.needs };
  return changeTurn(
    changeQuestion(tree, event.question, ({ alsoHolds }) => ({ alsoHolds: [...alsoHolds, held] })),
    event,
    (turn) => ({
      questions: [...turn.questions, event.question],
      calls: turn.calls.map((call) => (call.id === event.call ? { ...call, held: event.question, reserved: undefined } : call)),
    }),
  );
}

/** One of the waiting calls or turns continues without the answer. */
export function release(tree: Tree, event: TreeEventOf<"call.released">): Tree {
  const isMeant = (at: { dialog: string; agent: string; turn: number | undefined; call: string | undefined }) =>
    at.dialog === event.dialog && at.agent === event.agent && at.turn === event.turn && at.call === event.call;
  return changeTurn(
    changeQuestion(tree, event.question, (question) =>
      isMeant(question) ? { turn: undefined, call: undefined } : { alsoHolds: question.alsoHolds.filter((at) => !isMeant(at)) },
    ),
    event,
    (turn) => {
      const calls = turn.calls.map((call) =>
        call.held === event.question && call.id === event.call ? { ...call, held: undefined, reserved: event.needs } : call,
      );
      // Several calls of one turn may wait for the same question.
      const isFree = !calls.some((call) => call.held === event.question);
      return { calls, questions: isFree ? turn.questions.filter((id) => id !== event.question) : turn.questions };
    },
  );
}

export function revise(tree: Tree, event: TreeEventOf<"question.revised">): Tree {
  return changeQuestion(tree, event.question, (question) => ({
    headline: event.headline,
    text: event.text,
    options: event.options ?? [],
    revision: question.revision + 1,
  }));
}

/** A person asks back. A separate turn answers; the question itself does not change. */
export function discuss(tree: Tree, event: TreeEventOf<"question.discussed">): Tree {
  const discussed = changeQuestion(tree, event.question, ({ thread }) => ({
    thread: [...thread, { by: event.by ?? "", content: event.content, at: tree.at }],
  }));
  return openTurn(discussed, event, { cause: { kind: "thread", question: event.question }, depth: 0 });
}

export function reply(tree: Tree, event: TreeEventOf<"question.replied">): Tree {
  return changeQuestion(tree, event.question, ({ thread }) => ({
    thread: [...thread, { by: event.agent, content: event.content, at: tree.at }],
  }));
}

/** With a changed input the call has not started, whatever it did with the original one. */
const CHANGED = { isChanged: true, started: false, isStaged: undefined, ran: undefined } as const;

export function close(tree: Tree, event: TreeEventOf<"question.closed">): Tree {
  const question = tree.questions.get(event.question);
  if (!question) return tree;
  const closed: Question = {
    ...question,
    text: "",
    options: [],
    fields: undefined,
    status: event.as,
    closed: {
      content: event.content ?? "",
      choice: event.choice,
      verdict: question.kind === "approval" ? verdictOf(event) : undefined,
      byGrant: event.byGrant,
      by: event.by,
      ...(event.proof && { isSigned: true as const }),
      at: tree.at,
      seq: tree.seq,
    },
  };
  const without = (ids: readonly QuestionId[]) => ids.filter((id) => id !== question.id);
  let after: Tree = {
    ...tree,
    questions: tree.questions.set(question.id, closed),
    openQuestions: tree.openQuestions.delete(question.id),
    deadlines: tree.deadlines.delete(question.id),
    limitQuestions: without(tree.limitQuestions),
    raised:
      question.limit !== undefined && event.more !== undefined
        ? { ...tree.raised, [question.limit]: (tree.raised[question.limit] ?? 0) + event.more }
        : tree.raised,
  };
  after = { ...after, task: answeredTask(tree, question, closed) };
  const isTold = event.as === "answered" && (question.kind === "question" || question.kind === "confirmation");
  after = changeDialog(after, question.dialog, ({ questions, answered, assignment }) => ({
    questions: without(questions),
    answered: isTold && assignment !== undefined ? [...answered, question.id] : answered,
  }));
  if (tree.limitQuestions.includes(question.id)) after = refreshAllReady(after);
  const turns = [
    ...(question.turn === undefined ? [] : [{ dialog: question.dialog, agent: question.agent, turn: question.turn }]),
    ...question.alsoHolds,
  ];
  return turns.reduce(
    (freed, at) =>
      changeTurn(freed, at, (turn) => ({
        questions: without(turn.questions),
        newestSeq: isForAgent(question) ? tree.seq : turn.newestSeq,
        // The person allowed this many more steps. Any other decision by a person resets the count.
        unattended:
          event.by === undefined || question.reuses !== undefined
            ? turn.unattended
            : question.limit === "stepsPerTurn" && event.more !== undefined
              ? turn.unattended - event.more
              : 0,
        calls: turn.calls.map((call) =>
          call.held === question.id ? { ...call, held: undefined, ...(event.arguments !== undefined && CHANGED) } : call,
        ),
      })),
    after,
  );
}

const verdictOf = ({ verdict, arguments: input }: TreeEventOf<"question.closed">): ApprovalVerdict | undefined =>
  verdict === "approved" && input !== undefined ? "changed" : verdict;

/** The agent reads the answer to a question or confirmation; the tool reads the answer to its form. */
const isForAgent = ({ kind, fields }: Question): boolean => (kind === "question" || kind === "confirmation") && fields === undefined;

/** The next run of the task reads the questions of the last run together with their answers. */
function answeredTask({ task }: Tree, question: Question, { status, closed }: Question): Tree["task"] {
  if (!task || question.turn !== undefined || question.kind === "limit" || (question.kind === "fault" && question.topic !== "failures"))
    return task;
  const words = question.text === "" ? question.headline : `${question.headline}\n${question.text}`;
  const said = [closed?.choice?.join(", "), closed?.content].filter(Boolean).join(" — ");
  const answer = status === "answered" ? `${closed?.by ?? ""}: ${said}` : `(${status}) ${said}`.trim();
  const failures = question.topic === "failures" ? 0 : task.failures;
  // Questions asked by the system belong to no course.
  return {
    ...task,
    failures,
    answered: [...task.answered, { question: words, answer, course: question.kind === "fault" ? 0 : question.course }],
  };
}

function changeQuestion(tree: Tree, id: QuestionId, changes: (question: Question) => Partial<Question>): Tree {
  const question = tree.questions.get(id);
  if (!question) return tree;
  const changed = { ...tree, questions: tree.questions.set(id, { ...question, ...changes(question) }) };
  return changeDialog(changed, question.dialog, () => ({}));
}

/** A limit of the whole tree opens or closes every gate. That is rare, so walking all dialogs is acceptable. */
const refreshAllReady = (tree: Tree): Tree =>
  [...tree.dialogs.values()].reduce((settled, dialog) => refreshReady(settled, dialog.id), tree);
