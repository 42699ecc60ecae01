import type { Entry, QuestionId, QuestionSummary } from "@colloquy/schema";
import { nextDeadline } from "../commands/decide-question.ts";
import { iso } from "../texts/time.ts";
import { isBeingUndone } from "./past-call.ts";
import { mainDialog, type Tree } from "./tree.ts";
import { behindQuestion, dialogState } from "../gate/waiting.ts";

/** A tree's entry in the project's index, so that lists, the inbox and start-up need not open the tree. */
export function entryOf(tree: Tree): Entry | undefined {
  const main = mainDialog(tree);
  if (!main) return undefined;
  const hot = tree.ready.size > 0 || tree.unwritten.some((one) => one.call === undefined) || tree.applied.some(isBeingUndone);
  const { questions, sharing } = questionsOf(tree);
  const due = nextDeadline(tree);
  const state = dialogState(tree, main.id);
  return {
    rootId: tree.rootId,
    status: main.status,
    hot,
    agent: main.agent,
    title: main.title,
    // The tree is working while any of its dialogs is. It waits for a person only if nothing else can move.
    state:
      main.status === "running" && !main.stopped
        ? hot
          ? "working"
          : questions.length + sharing.length > 0
            ? "asking"
            : state === "dead"
              ? "idle"
              : state
        : state === "dead"
          ? "archived"
          : state,
    ...(main.stopped && { stopped: main.stopped.reason.message }),
    ...(tree.copied && { copied: { as: tree.copied.as, from: tree.copied.from, seq: tree.copied.seq } }),
    createdAt: iso(main.createdAt),
    lastModified: iso(tree.at),
    ...(tree.spent.cost > 0 && { cost: tree.spent.cost }),
    ...(tree.spent.tokens > 0 && { tokens: tree.spent.tokens }),
    ...(questions.length > 0 && { questions }),
    ...(sharing.length > 0 && { sharing }),
    ...(tree.unsettled.length > 0 && { unsettled: tree.unsettled.map((one) => ({ ...one, at: iso(one.at) })) }),
    ...(due !== undefined && { due }),
  };
}

const NONE = { questions: [], sharing: [] };

/** Oldest first. Questions that close with one in another tree are listed separately. */
function questionsOf(tree: Tree): { readonly questions: QuestionSummary[]; readonly sharing: QuestionId[] } {
  if (tree.openQuestions.size === 0) return NONE;
  const open = [...tree.openQuestions.keys()].flatMap((id) => tree.questions.get(id) ?? []).toSorted((a, b) => a.seq - b.seq);
  const questions = open
    .filter((one) => one.shares === undefined)
    .map((question) => ({
      id: question.id,
      dialog: question.dialog,
      agent: question.agent,
      kind: question.kind,
      headline: question.headline,
      ...(question.given?.id !== undefined && { given: question.given.id }),
      askedAt: iso(question.askedAt),
      behind: behindQuestion(tree, question),
      ...(question.deadline !== undefined && { deadline: iso(question.deadline) }),
    }));
  return { questions, sharing: open.filter((one) => one.shares !== undefined).map(({ id }) => id) };
}
