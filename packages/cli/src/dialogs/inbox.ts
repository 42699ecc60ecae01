import { byUrgency, type QuestionView, type RootId } from "@colloquy/library";
import type { DialogEntry, ProjectAccess } from "../access/project-access.ts";
import type { Card } from "../terminal/question-card.ts";

export const nameOf = (project: ProjectAccess, agentId: string): string => project.team.find(({ id }) => id === agentId)?.name ?? agentId;

/** Whose question it is: an agent's, or an outside program's. */
export const askerOf = (project: ProjectAccess, { program, agentId }: Pick<QuestionView, "program" | "agentId">): string =>
  program ?? nameOf(project, agentId);

export async function cardOf(project: ProjectAccess, question: QuestionView): Promise<Card> {
  const entry = await project.entry(question.dialog.rootId);
  return { question, agent: askerOf(project, question), title: entry?.title ?? "" };
}

/** The open questions of one tree, oldest first. */
export async function openIn(project: ProjectAccess, rootId: RootId): Promise<readonly QuestionView[]> {
  const ids = (await project.entry(rootId))?.questions ?? [];
  return Promise.all(ids.map(({ id }) => project.question(id)));
}

/** An open question as the index has it. */
export type Asked = NonNullable<DialogEntry["questions"]>[number] & { readonly rootId: RootId; readonly title: string };

/** Everything that waits for a person, most unblocking first; opens no tree. */
export function askedIn(entries: readonly DialogEntry[]): readonly Asked[] {
  const order = byUrgency(Date.now());
  return entries
    .flatMap(({ rootId, title, questions = [] }) => questions.map((question) => ({ ...question, rootId, title })))
    .toSorted((a, b) => order({ ...a, waitingBehind: a.behind }, { ...b, waitingBehind: b.behind }));
}
