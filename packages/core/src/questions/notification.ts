import type { DialogId, Line, Notification, NotificationQuestion, QuestionKind, TreeEvent, TreeEventOf } from "@colloquy/schema";
import { offeredChoices } from "./choice-code.ts";
import type { Notice } from "../state/project.ts";
import { answerIn } from "../projections/question-view.ts";
import { iso } from "../texts/time.ts";
import { headlineOf } from "../commands/title.ts";
import type { Question, Tree } from "../state/tree.ts";

/** What a commit did to the questions of a tree. */
export interface QuestionChanges {
  readonly counts: readonly {
    readonly dialog: DialogId;
    readonly course: number;
    readonly previousCount: number;
    readonly questionCount: number;
  }[];
  readonly added: readonly Notification[];
  readonly resolved: readonly Pick<Notification, "id" | "source" | "sourceId" | "questions">[];
}

const NO_CHANGES: QuestionChanges = { counts: [], added: [], resolved: [] };

/** A question that closes with one in another tree gets no notification of its own. */
const isAsked = (event: TreeEvent): event is TreeEventOf<"question.asked"> => event.type === "question.asked" && event.shares === undefined;
const isClosed = (event: TreeEvent): event is TreeEventOf<"question.closed"> => event.type === "question.closed";

/** For one line of the log. `tree` may be ahead of the line: each question knows when it was asked and closed. */
export function questionChanges(tree: Tree, line: Line<TreeEvent>): QuestionChanges {
  const asked = line.events.filter(isAsked);
  const closed = line.events
    .filter(isClosed)
    .flatMap((event) => tree.questions.get(event.question) ?? [])
    .filter(isOwn);
  if (asked.length === 0 && closed.length === 0) return NO_CHANGES;
  const all = [...tree.questions.values()].filter(isOwn);
  const end = line.seq + line.events.length - 1;
  const open = (among: readonly Question[], seq: number) => among.filter((one) => isOpenAt(one, seq)).length;
  const dialogs = new Set([...asked, ...closed].map(({ dialog }) => dialog));
  const courseOf = (id: DialogId) => line.events.findLast((event) => event.dialog === id)?.course ?? tree.dialogs.get(id)?.course ?? 1;
  return {
    counts: [...dialogs].flatMap((dialog) => {
      const here = all.filter((one) => one.dialog === dialog);
      const [previousCount, questionCount] = [open(here, line.seq - 1), open(here, end)];
      return previousCount === questionCount ? [] : [{ dialog, course: courseOf(dialog), previousCount, questionCount }];
    }),
    // A question closed in the commit that asks it was never put to anybody.
    added: [...Map.groupBy(stillOpen(asked, line), ({ notification }) => notification).values()].flatMap(
      (together) => raised(together, line.at) ?? [],
    ),
    resolved: [...new Set(closed.map(({ notification }) => notification))].flatMap((id) => {
      const together = all.filter((one) => one.notification === id && one.seq <= end);
      const [first] = together;
      const wasOpen = together.some((one) => one.seq < line.seq || one.closed === undefined || one.closed.seq > end);
      if (!first || !wasOpen || open(together, end) > 0) return [];
      return { id, source: first.source as Notification["source"], sourceId: first.sourceId, questions: together.map(shownIn) };
    }),
  };
}

/** Something an agent did without asking. People can only read and dismiss it. */
export const noticeView = ({
  notice,
  source,
  sourceId,
  rootId,
  dialog,
  agent,
  headline,
  text,
  class: kind,
  at,
  resolvedAt,
}: Notice): Notification => ({
  id: notice,
  kind: "notice",
  source,
  sourceId,
  questions: [],
  notice: { headline, text, class: kind, agentId: agent, dialog: { rootId, selfId: dialog } },
  status: resolvedAt === undefined ? "open" : "resolved",
  createdAt: iso(at),
  ...(resolvedAt !== undefined && { resolvedAt: iso(resolvedAt) }),
});

/** All notifications of a tree. The text of closed questions is only in the log. */
export function notificationsOf(tree: Tree): readonly Notification[] {
  return [...Map.groupBy([...tree.questions.values()].filter(isOwn), ({ notification }) => notification).values()].flatMap((together) => {
    const [first] = together;
    if (!first) return [];
    const isOpen = together.some(({ status }) => status === "open");
    return {
      id: first.notification,
      kind: kindOf(first.kind),
      source: first.source as Notification["source"],
      sourceId: first.sourceId,
      questions: together.map(shownIn),
      status: isOpen ? ("open" as const) : ("resolved" as const),
      createdAt: iso(first.askedAt),
      ...(!isOpen && { resolvedAt: iso(Math.max(...together.map(({ closed, askedAt }) => closed?.at ?? askedAt))) }),
    };
  });
}

function raised(together: readonly TreeEventOf<"question.asked">[], at: string): Notification | undefined {
  const [first] = together;
  return (
    first && {
      id: first.notification,
      kind: kindOf(first.kind),
      source: first.source,
      sourceId: first.sourceId,
      questions: together.map((event) => ({
        id: event.question,
        headline: event.headline,
        text: wordsOf(event),
        options: [...offeredChoices(event)],
        createdAt: at,
        status: "open" as const,
        ...(event.given && { given: { ...event.given } }),
      })),
      status: "open" as const,
      createdAt: at,
    }
  );
}

const stillOpen = (asked: readonly TreeEventOf<"question.asked">[], { events }: Line<TreeEvent>) => {
  const closed = new Set(events.filter(isClosed).map(({ question }) => question));
  return asked.filter(({ question }) => !closed.has(question));
};

const shownIn = (question: Question): NotificationQuestion => ({
  id: question.id,
  headline: question.headline,
  text: wordsOf(question),
  options: [...question.options],
  createdAt: iso(question.askedAt),
  status: question.status,
  ...(question.given && { given: { ...question.given } }),
  ...answerIn(question),
});

/** A question's full text. The headline is left out if the text starts with it. */
function wordsOf({ headline, text }: { readonly headline: string; readonly text: string }): string {
  if (text === "") return headline;
  const [first = ""] = text.split("\n");
  return headlineOf(first) === headline ? text : `${headline}\n${text}`;
}

const isOwn = ({ shares }: Question): boolean => shares === undefined;

const isOpenAt = ({ seq, closed }: Question, at: number): boolean => seq <= at && (closed === undefined || closed.seq > at);

const kindOf = (kind: QuestionKind): Notification["kind"] =>
  kind === "approval" ? "approval" : kind === "limit" || kind === "fault" ? "failure" : "question";
