import type { ProjectEvent, QuestionId, RootId, TreeEvent } from "@colloquy/schema";
import { PersistentMap } from "../state/persistent-map.ts";
import type { Question, Tree } from "../state/tree.ts";

/** A person's decision on a question, kept for dialogs that ask the same question. */
export interface Settled {
  readonly id: QuestionId;
  readonly content: string;
  readonly choice: readonly string[] | undefined;
  readonly by: string | undefined;
  /** The question was dismissed without an answer. */
  readonly dismissed?: boolean;
}

/** How a shared question ends when the other tree's question closes. */
export type SharedEnd =
  | ({ readonly as: "answered" | "dismissed" } & Omit<Settled, "id" | "dismissed">)
  | { readonly as: "withdrawn"; readonly content: string };

/** A question that waits for one in another tree. `end`: that one has closed, and this one must be closed the same way. */
export interface Share {
  readonly question: QuestionId;
  readonly rootId: RootId;
  readonly of: QuestionId;
  readonly end: SharedEnd | undefined;
}

/** Open questions about a section of the requirements, and the answers. Several dialogs may work on one section. */
interface SectionTalk {
  readonly open: readonly QuestionId[];
  /** Answers, by the hash of the question's words. */
  readonly answers: Readonly<Record<string, Settled>>;
  /** Open questions, by the hash of their words. */
  readonly asked: Readonly<Record<string, QuestionId>>;
  readonly shares: readonly Share[];
}

/** By the key of the section. */
export type Sections = PersistentMap<SectionTalk>;

export const noSections = (): Sections => PersistentMap.empty();

const NO_TALK: SectionTalk = { open: [], answers: {}, asked: {}, shares: [] };

type SectionEvent = Extract<ProjectEvent, { type: `section.${string}` }>;

export function applyToSections(sections: Sections, event: SectionEvent): Sections {
  const talk = sections.get(event.section) ?? NO_TALK;
  return sections.set(event.section, event.type === "section.asked" ? withQuestion(talk, event) : withoutQuestion(talk, event));
}

function withQuestion(
  talk: SectionTalk,
  { question, rootId, words, shares }: Extract<SectionEvent, { type: "section.asked" }>,
): SectionTalk {
  return {
    ...talk,
    open: [...talk.open, question],
    asked: words === undefined || words in talk.asked ? talk.asked : { ...talk.asked, [words]: question },
    shares: shares === undefined ? talk.shares : [...talk.shares, { question, rootId, of: shares, end: undefined }],
  };
}

function withoutQuestion(talk: SectionTalk, event: Extract<SectionEvent, { type: "section.settled" }>): SectionTalk {
  const { question: id, answer, why = "" } = event;
  const known = answer && talk.answers[answer.words];
  const end: SharedEnd = answer
    ? { as: answer.dismissed ? "dismissed" : "answered", content: answer.content, choice: answer.choice, by: answer.by }
    : { as: "withdrawn", content: why };
  return {
    open: talk.open.filter((one) => one !== id),
    asked: Object.fromEntries(Object.entries(talk.asked).filter(([, one]) => one !== id)),
    // The first answer is kept. A dismissal is kept until somebody answers.
    answers:
      answer && (!known || (known.dismissed && !answer.dismissed))
        ? {
            ...talk.answers,
            [answer.words]: {
              id,
              content: answer.content,
              choice: answer.choice,
              by: answer.by,
              ...(answer.dismissed && { dismissed: true }),
            },
          }
        : talk.answers,
    shares: talk.shares.filter((one) => one.question !== id).map((one) => (one.of === id ? { ...one, end } : one)),
  };
}

const isAskedOf = ({ source, kind, reuses, topic }: Pick<Question, "source" | "kind" | "reuses" | "topic">): boolean =>
  source === "prd" && (kind === "question" || kind === "confirmation") && reuses === undefined && topic !== "confirmed";

/** What a tree's commit means for the sections it asks about. */
export const sectionEvents = (after: Tree, events: readonly TreeEvent[]): readonly ProjectEvent[] =>
  events.flatMap((event): ProjectEvent[] => {
    const isChange = event.type === "question.asked" || event.type === "question.closed";
    const question = isChange ? after.questions.get(event.question) : undefined;
    if (!isChange || !question || !isAskedOf(question)) return [];
    const about = { section: question.sourceId, question: question.id };
    const isForOthers = question.topic === undefined && question.shares === undefined;
    if (event.type === "question.asked") {
      const { shares, hash } = question;
      return [
        {
          type: "section.asked",
          rootId: after.rootId,
          ...about,
          ...(isForOthers && { words: hash }),
          ...(shares !== undefined && { shares }),
        },
      ];
    }
    const { as, content = "", choice, by } = event;
    const isSaid = as === "answered" || as === "dismissed";
    const answer = {
      words: question.hash,
      content,
      ...(choice && { choice: [...choice] }),
      ...(by !== undefined && { by }),
      ...(as === "dismissed" && { dismissed: true }),
    };
    return [{ type: "section.settled", ...about, ...(isForOthers && (isSaid ? { answer } : { why: content })) }];
  });

/** Questions to close because the question they share has closed. */
export const sharesToClose = (sections: Sections, section: string): readonly (Share & { readonly end: SharedEnd })[] =>
  (sections.get(section)?.shares ?? []).flatMap((share) => (share.end ? [{ ...share, end: share.end }] : []));

/** Is a person being asked about this section, in any dialog? */
export const isSectionAsked = (sections: Sections, section: string): boolean => (sections.get(section)?.open.length ?? 0) > 0;

/** Ends questions that no tree has open, because the tree's files are lost and nobody could answer them. */
export const endLostSections = (sections: Sections, isOpen: (question: QuestionId) => boolean, why: string): readonly ProjectEvent[] =>
  [...sections.entries()].flatMap(([section, { open }]) =>
    open.filter((id) => !isOpen(id)).map((question): ProjectEvent => ({ type: "section.settled", section, question, why })),
  );

/** All shared questions, with their trees. */
export const sharesIn = (sections: Sections): readonly Share[] => [...sections.values()].flatMap(({ shares }) => shares);

/** Does any section wait for a question? */
export const hasOpenSection = (sections: Sections): boolean => [...sections.values()].some(({ open }) => open.length > 0);
