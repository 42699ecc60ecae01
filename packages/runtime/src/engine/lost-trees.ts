import { hasOpenSection, openIn, type Project, releaseLost, endLostSections, sharesIn } from "@colloquy/core";
import type { ProjectEvent } from "@colloquy/schema";
import type { Engine } from "./engine.ts";

/**
 * What the project's stream still expects of trees whose files are lost: questions about a section that nobody can answer, and
 * tasks that nobody works on. Both end here, so that other trees go on. Called once, at the start of a process: then no commit is
 * under way, and the index has all that the stream knows. Costs nothing where no section waits and no task is taken.
 */
export async function letGoOfLostTrees(engine: Engine): Promise<void> {
  await engine.decideProject((project) => ({ ok: true, events: lostEvents(engine, project) }));
}

function lostEvents(engine: Engine, { sections, tasks }: Project): readonly ProjectEvent[] {
  const { store } = engine.deps;
  const { questionLost, dialogLost } = engine.rulebook.texts();
  const released = releaseLost(tasks, (dialog) => store.has(dialog), dialogLost);
  if (!hasOpenSection(sections)) return released;
  const trees = [...store.asking(), ...sharesIn(sections).map(({ rootId }) => rootId)];
  const open = new Set(trees.flatMap((rootId) => openIn(store.entry(rootId)).map(({ id }) => id)));
  return [...released, ...endLostSections(sections, (id) => open.has(id), questionLost)];
}
