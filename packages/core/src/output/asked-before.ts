import type { QuestionId } from "@colloquy/schema";
import { wordsHash } from "../state/apply-question.ts";
import { hash } from "../state/hash.ts";
import type { Rules } from "../prompt/rules.ts";
import type { Sections, Settled } from "../tasks/section.ts";
import type { Question, Tree } from "../state/tree.ts";
import type { Source } from "./question-source.ts";

/** Whether the same question about the same thing was asked before. */
export type AskedBefore =
  /** A person answered or dismissed it. */
  | { readonly kind: "settled"; readonly first: Settled }
  /** A person is being asked, in this tree. */
  | { readonly kind: "open"; readonly question: Question }
  /** A person is being asked, in another tree that works on the same section. */
  | { readonly kind: "shared"; readonly question: QuestionId };

/** Kinds of questions that are never merged: approvals, limits, faults, tools' questions. */
export const isComparable = ({ kind, fields, topic }: Pick<Question, "kind" | "fields" | "topic">): boolean =>
  (kind === "question" || kind === "confirmation") && fields === undefined && topic === undefined;

/** Looks for a question with the same words, from the same source and about the same thing. */
export function askedBefore(
  tree: Tree,
  { source, sourceId }: Source,
  words: { readonly headline: string; readonly text: string },
  sections: Sections,
): AskedBefore | undefined {
  const key = wordsHash(words);
  const same = [...tree.questions.values()].filter(
    (one) => one.hash === key && one.source === source && one.sourceId === sourceId && one.reuses === undefined && isComparable(one),
  );
  const talk = source === "prd" ? sections.get(sourceId) : undefined;
  const answered = same.find(({ status }) => status === "answered");
  const elsewhere = talk?.answers[key] ?? talk?.answers[exactHash(words)];
  if (answered) return { kind: "settled", first: decidedBy(answered) };
  if (elsewhere && !elsewhere.dismissed) return { kind: "settled", first: elsewhere };
  const open = same.find(({ status }) => status === "open");
  if (open) return { kind: "open", question: open };
  const shared = talk?.asked[key];
  if (shared !== undefined) return { kind: "shared", question: shared };
  const dismissed = same.find(({ status }) => status === "dismissed");
  const first = dismissed ? decidedBy(dismissed) : elsewhere;
  return first && { kind: "settled", first };
}

/** Older logs identify answers about a section by their exact words. */
const exactHash = ({ headline, text }: { readonly headline: string; readonly text: string }): string => hash(`${headline}\n${text}`);

const decidedBy = ({ id, status, closed }: Question): Settled => ({
  id,
  content: closed?.content ?? "",
  choice: closed?.choice,
  by: closed?.by,
  dismissed: status === "dismissed",
});

/** What the agent is told about the earlier decision. */
export const decidedWords = ({ by, choice, content, dismissed }: Settled, { texts }: Pick<Rules, "texts">): string =>
  dismissed ? texts.dismissed(by ?? texts.person, content) : texts.answered(by ?? texts.person, choice, content);
