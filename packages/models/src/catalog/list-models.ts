import type { ModelConfig } from "@colloquy/schema";
import { type FinderOptions, keyEnvOf, scriptNames } from "./find-model.ts";
import { KNOWN_MODELS, knownModel, PRICES_AS_OF } from "./known-models.ts";
import { type LocalServer, localServers } from "../providers/loopback.ts";
import type { Price } from "../port.ts";

export interface ListedModel {
  /** As agents name it: a name in `models`, or `provider/id`. */
  readonly name: string;
  readonly provider: ModelConfig["provider"];
  readonly id: string;
  readonly baseURL: string | undefined;
  /** The variable of its key, and whether it is set. A model that needs none is ready without. */
  readonly keyEnv: string | undefined;
  readonly isReady: boolean;
  readonly contextWindow: number | undefined;
  readonly price: Price | undefined;
}

export interface ModelList {
  /** The models in colloquy.yaml. */
  readonly configured: readonly ListedModel[];
  /** Models that could be named directly: well-known ones of providers with a key. */
  readonly available: readonly ListedModel[];
  readonly keys: readonly { readonly provider: string; readonly env: string; readonly isSet: boolean }[];
  readonly scripts: readonly string[];
  readonly local: readonly LocalServer[];
  readonly pricesAsOf: string;
}

/** Everything that `colloquy models` shows. Queries only this machine. */
export async function listModels(options: FinderOptions): Promise<ModelList> {
  const { config, env, scriptsDir, builtInScriptsDir, fetch = globalThis.fetch } = options;
  const listed = (name: string, model: ModelConfig): ListedModel => {
    const keyEnv = keyEnvOf(model);
    const known = knownModel(model.provider, model.id);
    return {
      name,
      provider: model.provider,
      id: model.id,
      baseURL: model.baseURL,
      keyEnv,
      isReady: keyEnv === undefined || Boolean(env[keyEnv]),
      contextWindow: model.contextWindow ?? known?.contextWindow,
      price: model.price ?? known?.price,
    };
  };
  const wellKnown = (["anthropic", "openai"] as const).flatMap((provider) =>
    Object.keys(KNOWN_MODELS[provider]).map((id) => listed(`${provider}/${id}`, { provider, id })),
  );
  return {
    configured: Object.entries(config.models).map(([name, model]) => listed(name, model)),
    available: wellKnown.filter(({ isReady }) => isReady),
    keys: (["anthropic", "openai"] as const).map((provider) => {
      const keyEnv = keyEnvOf({ provider, id: "" }) ?? "";
      return { provider, env: keyEnv, isSet: Boolean(env[keyEnv]) };
    }),
    scripts: scriptNames([scriptsDir, ...(builtInScriptsDir === undefined ? [] : [builtInScriptsDir])]),
    local: await localServers(fetch),
    pricesAsOf: PRICES_AS_OF,
  };
}
