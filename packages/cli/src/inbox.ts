import type { Entry, Project, QuestionView, RootId } from "@colloquy/library";
import type { Card } from "./terminal/question-card.ts";

export const nameOf = (project: Project, agentId: string): string => project.team.member(agentId)?.name ?? agentId;

export const cardOf = (project: Project, question: QuestionView): Card => ({
  question,
  agent: nameOf(project, question.agentId),
  title: project.entry(question.dialog.rootId)?.title ?? "",
});

/** What is open in one tree, oldest first. */
export async function openIn(project: Project, rootId: RootId): Promise<readonly QuestionView[]> {
  const ids = project.entry(rootId)?.questions ?? [];
  return Promise.all(ids.map(({ id }) => project.question(id)));
}

/** An open question as the index knows it. */
export type Asked = NonNullable<Entry["questions"]>[number] & { readonly rootId: RootId; readonly title: string };

/** Everything that waits for a person, what frees most work first; no tree is opened for it. */
export const askedIn = (entries: readonly Entry[]): readonly Asked[] =>
  entries.flatMap(({ rootId, title, questions = [] }) => questions.map((question) => ({ ...question, rootId, title }))).toSorted(byUrgency);

/** What is due, then what most dialogs wait behind, then the oldest. */
function byUrgency(a: Asked, b: Asked): number {
  const due = ({ deadline }: Asked) => (deadline === undefined ? Number.MAX_VALUE : Date.parse(deadline));
  return due(a) - due(b) || b.behind - a.behind || (a.askedAt < b.askedAt ? -1 : 1);
}
