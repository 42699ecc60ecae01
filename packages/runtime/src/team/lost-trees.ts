import { hasOpenSection, openIn, type Project, releaseLost, endLostSections, sharesIn } from "@colloquy/core";
import type { ProjectEvent, RootId } from "@colloquy/schema";
import type { ProjectContext } from "../engine/project-context.ts";
import type { ProjectStream } from "../watch/project-stream.ts";

/**
 * Ends what the project's stream still expects of trees whose files are lost, so that other trees continue: questions about a section
 * that nobody can answer, and tasks that nobody works on. Called once, at the start of a process: then no commit is pending, and the
 * index has everything the stream knows. Free if no section waits and no task is taken.
 */
export async function letGoOfLostTrees(context: ProjectContext, stream: ProjectStream): Promise<void> {
  await stream.decide((project) => ({ ok: true, events: lostEvents(context, project) }));
}

/** `gone`: a tree that is lost with this commit. */
export function lostEvents({ deps, rulebook }: ProjectContext, { sections, tasks }: Project, gone?: RootId): readonly ProjectEvent[] {
  const { store } = deps;
  const { questionLost, dialogLost } = rulebook.texts();
  const released = releaseLost(tasks, (dialog) => dialog !== gone && store.has(dialog), dialogLost);
  if (!hasOpenSection(sections)) return released;
  const trees = [...store.asking(), ...sharesIn(sections).map(({ rootId }) => rootId)].filter((rootId) => rootId !== gone);
  const open = new Set(trees.flatMap((rootId) => openIn(store.entry(rootId)).map(({ id }) => id)));
  return [...released, ...endLostSections(sections, (id) => open.has(id), questionLost)];
}
