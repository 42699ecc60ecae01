import { CONFIG_FILE } from "../open/find-project.ts";
import { settingsIfAny } from "./settings.ts";
import { modelText } from "./settings-view.ts";

/** An agent as configured. */
export interface AgentDescription {
  readonly id: string;
  readonly name: string;
  /** Absent when neither it nor `defaults` names one. */
  readonly model?: string;
  readonly tools: readonly string[];
  readonly isDefault: boolean;
  /** The first paragraph of its role prompt, on one line. */
  readonly role: string;
  /** Where it is defined. */
  readonly file: string;
}

/** The team from its files alone: the project need not be open. */
export async function describeTeam(dir: string): Promise<readonly AgentDescription[]> {
  const { config, agents } = await settingsIfAny(dir);
  const chosen = [...agents].find(([, agent]) => agent.default)?.[0] ?? agents.keys().next().value;
  return [...agents].map(([id, agent]) => {
    const model = agent.a2a === undefined ? (agent.model ?? config.defaults.model) : undefined;
    return {
      id,
      name: agent.name ?? id,
      ...(model !== undefined && { model: modelText(model) }),
      tools: agent.tools ?? [],
      isDefault: id === chosen,
      role: roleInBrief(agent.role),
      file: Object.hasOwn(config.agents, id) ? CONFIG_FILE : `agents/${id}.md`,
    };
  });
}

/** The first paragraph of a role prompt, on one line. */
export const roleInBrief = (role: string): string => (role.trim().split(/\n\s*\n/)[0] ?? "").replace(/\s+/g, " ");
