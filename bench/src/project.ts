import { type DefinedAgent, openProject, type Project } from "@colloquy/library";
import { newFolder } from "./bare.ts";
import { instantModel, type Reply } from "./instant-model.ts";

export async function benchProject(
  name: string,
  reply: Reply,
  agents: readonly DefinedAgent[] = [{ id: "lead", role: "You lead." }],
  dir = newFolder(name),
): Promise<Project> {
  const model = instantModel(reply);
  return openProject({ dir, agents, model: model.name, findModel: () => model });
}
