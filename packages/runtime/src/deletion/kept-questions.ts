import { questionView } from "@colloquy/core";
import type { Line, QuestionView, RootId, TreeEvent } from "@colloquy/schema";
import type { ProjectContext } from "../engine/project-context.ts";

/** The newest ones, so that the event that keeps them has a bound. */
const MAX_KEPT = 500;

/** A tree's answered questions as people saw them, newest last. */
export async function answeredQuestions({ deps, trees }: ProjectContext, rootId: RootId): Promise<readonly QuestionView[]> {
  const views = await trees.look(rootId, ({ state }) =>
    [...state.questions.values()].map((question) => questionView(state, question)).filter(({ answer }) => answer !== undefined),
  );
  const kept: QuestionView[] = [];
  for (const view of (views ?? []).slice(-MAX_KEPT)) {
    // A closed question's words are in the log only.
    const lines = (await deps.store.read(rootId, view.seq - 1, 1)) as readonly Line<TreeEvent>[];
    const asked = lines.flatMap(({ events }) => events).find((event) => event.type === "question.asked" && event.question === view.id);
    kept.push(asked?.type === "question.asked" ? { ...view, text: asked.text, options: asked.options ?? [] } : view);
  }
  return kept;
}
