import { byUrgency, type Entry, type Project, type QuestionView, type RootId } from "@colloquy/library";
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
export function askedIn(entries: readonly Entry[]): readonly Asked[] {
  const order = byUrgency(Date.now());
  return entries
    .flatMap(({ rootId, title, questions = [] }) => questions.map((question) => ({ ...question, rootId, title })))
    .toSorted((a, b) => order({ ...a, waitingBehind: a.behind }, { ...b, waitingBehind: b.behind }));
}
