import { a2aAddress, type answers, Fault, type ModelNames } from "@colloquy/schema";
import type { z } from "zod";
import { costNotices } from "../project/cost-notices.ts";
import { roleInBrief } from "./describe-team.ts";
import type { ProjectTeam } from "./project-team.ts";

export type SettingsView = z.infer<typeof answers.SettingsView>;

/** The settings without hashes of tokens, for people to see. Keys are never part of the settings. */
export function settingsView(team: ProjectTeam): SettingsView {
  const { config, agents } = team.settings ?? {};
  const defaultAgent = team.defaultAgent();
  const models = Object.entries(config?.models ?? {});
  return {
    language: team.language,
    agents: team.members().map(({ id, name, role, handles }) => {
      const { model, a2a } = agents?.get(id) ?? {};
      return {
        id,
        name,
        ...(model !== undefined && { model: modelText(model) }),
        ...(a2a !== undefined && { model: `a2a ${a2aAddress(a2a).url}` }),
        tools: [...(agents?.get(id)?.tools ?? [])],
        isDefault: id === defaultAgent,
        handles: [...handles],
        role: roleInBrief(role),
      };
    }),
    models: models.map(([name, { provider, id, contextWindow }]) => ({
      name,
      provider,
      id,
      ...(contextWindow !== undefined && { contextWindow }),
    })),
    ...(config?.defaults.model !== undefined && { defaultModel: modelText(config.defaults.model) }),
    problems: problemsOf(team),
    servers: team
      .servers()
      .map(({ name, state, why, changed }) => ({ name, state, ...(why !== undefined && { why }), changed: [...changed] })),
    autonomy: team.autonomy,
    permissions: { ...team.permissions },
    limits: Object.fromEntries(Object.entries(team.limits).filter(([, value]) => typeof value === "number")) as Record<string, number>,
    context: team.context,
    ...(team.retention && { retention: team.retention }),
    users: team.users.map(({ name, role }) => ({ name, role })),
    notices: [...costNotices(team)],
    ...(config?.tracing?.open !== undefined && { tracePage: config.tracing.open }),
  };
}

/** Several models in the order of preference. */
export const modelText = (models: ModelNames): string => [models].flat().join(", ");

/** Agents whose model is unavailable. The model is looked up, not called. */
const problemsOf = (team: ProjectTeam): SettingsView["problems"] =>
  team.members().flatMap((member) => {
    try {
      member.runner();
      return [];
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return [{ agentId: member.id, message: error.message }];
    }
  });
