import type { ProjectEvent, QuestionId, TreeEvent } from "@colloquy/schema";
import { PersistentMap } from "../persistent-map.ts";
import type { Question, Tree } from "../tree.ts";

/** What a person has said to a question, for whoever asks the same again. */
export interface Settled {
  readonly id: QuestionId;
  readonly content: string;
  readonly choice: readonly string[] | undefined;
  readonly by: string | undefined;
}

/** What people are asked about a section of the requirements, and what they have said: several dialogs may work on one. */
interface SectionTalk {
  readonly open: readonly QuestionId[];
  /** By the hash of a question's words. */
  readonly answers: Readonly<Record<string, Settled>>;
}

/** By the key of the section. */
export type Sections = PersistentMap<SectionTalk>;

export const noSections = (): Sections => PersistentMap.empty();

type SectionEvent = Extract<ProjectEvent, { type: `section.${string}` }>;

export function applyToSections(sections: Sections, event: SectionEvent): Sections {
  const { open, answers } = sections.get(event.section) ?? { open: [], answers: {} };
  if (event.type === "section.asked") return sections.set(event.section, { open: [...open, event.question], answers });
  const { question: id, answer } = event;
  return sections.set(event.section, {
    open: open.filter((one) => one !== id),
    // The first answer holds.
    answers:
      answer && !(answer.words in answers)
        ? { ...answers, [answer.words]: { id, content: answer.content, choice: answer.choice, by: answer.by } }
        : answers,
  });
}

const isAskedOf = ({ source, kind, reuses, topic }: Pick<Question, "source" | "kind" | "reuses" | "topic">): boolean =>
  source === "prd" && (kind === "question" || kind === "confirmation") && reuses === undefined && topic !== "confirmed";

/** What a commit of a tree means for the sections that it asks about. */
export const sectionEvents = (after: Tree, events: readonly TreeEvent[]): readonly ProjectEvent[] =>
  events.flatMap((event): ProjectEvent[] => {
    if (event.type !== "question.asked" && event.type !== "question.closed") return [];
    const question = after.questions.get(event.question);
    if (!question || !isAskedOf(question)) return [];
    const about = { section: question.sourceId, question: question.id };
    if (event.type === "question.asked") return [{ type: "section.asked", rootId: after.rootId, ...about }];
    const { content = "", choice, by } = event;
    const isForOthers = event.as === "answered" && question.call === undefined && question.topic === undefined;
    const answer = { words: question.hash, content, ...(choice && { choice: [...choice] }), ...(by !== undefined && { by }) };
    return [{ type: "section.settled", ...about, ...(isForOthers && { answer }) }];
  });

/** Is a person asked about this section, in whichever dialog? */
export const isSectionAsked = (sections: Sections, section: string): boolean => (sections.get(section)?.open.length ?? 0) > 0;
