import type { Answer, DialogId, QuestionView } from "@colloquy/schema";
import { shownVersion } from "../commands/decide-question.ts";
import { iso } from "../texts/time.ts";
import type { Question, Tree } from "../state/tree.ts";
import { behindQuestion } from "../gate/waiting.ts";

/** A question as people and programs see it. */
export function questionView(tree: Tree, question: Question): QuestionView {
  return {
    id: question.id,
    notificationId: question.notification,
    dialog: { rootId: tree.rootId, selfId: question.dialog },
    title: tree.dialogs.get(tree.rootId as string as DialogId)?.title ?? "",
    agentId: question.agent,
    ...programOf(tree, question),
    headline: question.headline,
    text: question.text,
    options: [...question.options],
    multiple: question.multiple,
    allowOther: question.allowOther,
    kind: question.kind,
    source: question.source as QuestionView["source"],
    sourceId: question.sourceId,
    status: question.status,
    shown: shownVersion(question),
    seq: question.seq,
    askedAt: iso(question.askedAt),
    ...(question.deadline !== undefined && { deadline: iso(question.deadline) }),
    ...(question.otherwise !== undefined && { otherwise: question.otherwise }),
    waitingBehind: question.status === "open" ? behindQuestion(tree, question) : 0,
    ...(question.call !== undefined && { call: question.call }),
    ...(question.tool !== undefined && { tool: question.tool, classes: [...question.classes] }),
    ...(question.reuses !== undefined && { reuses: question.reuses }),
    ...(question.shares !== undefined && { shares: question.shares }),
    ...(question.given !== undefined && { given: { ...question.given } }),
    ...(question.fields !== undefined && { fields: [...question.fields] }),
    thread: question.thread.map(({ by, content, at }) => ({ by, content, at: iso(at) })),
    ...answerIn(question),
  };
}

function programOf(tree: Tree, { dialog }: Question): { readonly program?: string } {
  const program = tree.dialogs.get(dialog)?.program;
  return program === undefined ? {} : { program };
}

/** A person's decision, if there is one. */
export function answerIn({ closed }: Question): { readonly answer?: Answer } {
  if (closed?.by === undefined) return {};
  const { content, choice, verdict, byGrant, by, isSigned, at } = closed;
  return {
    answer: {
      content,
      ...(choice && { choice: [...choice] }),
      ...(verdict && { verdict }),
      ...(byGrant !== undefined && { grant: byGrant }),
      by,
      ...(isSigned && { signed: true }),
      at: iso(at),
    },
  };
}
