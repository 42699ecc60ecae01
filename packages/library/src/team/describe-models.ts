import { join } from "node:path";
import { type FinderOptions, type ListedModel, listModels, modelFinder, type ModelList, type ModelTest, testModel } from "@colloquy/models";
import { Fault, type ModelConfig } from "@colloquy/schema";
import { describeTeam } from "./describe-team.ts";
import { environmentOf, type Environment } from "../open/environment.ts";
import { findProject } from "../open/find-project.ts";
import { settingsIfAny } from "./settings.ts";

/** A model that the project names, and who uses it. */
export interface TeamModel extends ListedModel {
  readonly usedBy: readonly string[];
  /** Why it can't be used, and what to do. */
  readonly problem: string | undefined;
}

export interface ModelsView extends Omit<ModelList, "configured"> {
  readonly models: readonly TeamModel[];
}

/** The models that a project names or its agents use. Asks only this machine, and needs no open project. */
export async function describeModels(dir: string, env: Environment): Promise<ModelsView> {
  const { config } = await settingsIfAny(dir);
  const team = await describeTeam(dir);
  const used = team.flatMap(({ model }) => (model === undefined ? [] : model.split(", ")));
  const options = optionsFor(dir, env, { ...Object.fromEntries(used.flatMap(namedDirectly)), ...config.models });
  const { configured, ...others } = await listModels(options);
  const findModel = modelFinder(options);
  const listed = new Map(configured.map((model) => [model.name, model]));
  const names = new Set([...used, ...listed.keys()]);
  const models = [...names].map((name) => ({
    ...(listed.get(name) ?? unknownModel(name)),
    usedBy: team.filter((agent) => agent.model?.split(", ").includes(name)).map((agent) => agent.id),
    problem: problemWith(() => findModel(name)),
  }));
  return { models, ...others };
}

/** What a new project could use: keys and servers of this machine, whatever is configured. */
export const findModels = (dir: string, env: Environment): Promise<ModelList> => listModels(optionsFor(dir, env, {}));

interface TryOptions {
  readonly signal: AbortSignal;
  /** Models that the project's settings do not name yet. */
  readonly models?: FinderOptions["config"]["models"];
}

/** One small real call. Outside a project only `provider/id` is known. Throws `Fault` if the model cannot be called at all. */
export async function tryModel(dir: string, env: Environment, name: string, { signal, models = {} }: TryOptions): Promise<ModelTest> {
  const known = findProject(dir) === undefined ? {} : (await settingsIfAny(dir)).config.models;
  return testModel(modelFinder(optionsFor(dir, env, { ...known, ...models }))(name), signal);
}

const optionsFor = (dir: string, env: Environment, models: FinderOptions["config"]["models"]): FinderOptions => ({
  config: { models },
  env: environmentOf(dir, env),
  scriptsDir: join(dir, "scripts"),
});

/** `provider/id`, as an entry that the list can describe. */
function namedDirectly(name: string): readonly [string, ModelConfig][] {
  const [, provider, id] = /^(openai|anthropic|scripted)\/(.+)$/.exec(name) ?? [];
  return provider && id ? [[name, { provider: provider as ModelConfig["provider"], id }]] : [];
}

const unknownModel = (name: string): ListedModel => ({
  name,
  provider: "openai-compatible",
  id: name,
  baseURL: undefined,
  keyEnv: undefined,
  isReady: false,
  contextWindow: undefined,
  price: undefined,
});

function problemWith(find: () => unknown): string | undefined {
  try {
    find();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}
