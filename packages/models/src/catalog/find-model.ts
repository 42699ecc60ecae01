import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Fault, type ModelConfig } from "@colloquy/schema";
import type { Adapter, Reach } from "../providers/adapter.ts";
import { givenAdapter } from "../providers/given-model.ts";
import { npmModel } from "../providers/npm-provider.ts";
import { anthropicAdapter } from "../providers/anthropic-adapter.ts";
import { compatibleAdapter } from "../providers/compatible-adapter.ts";
import { didYouMean } from "./did-you-mean.ts";
import { KNOWN_MODELS, knownModel } from "./known-models.ts";
import { loadScript } from "../scripted/load-script.ts";
import { openaiAdapter } from "../providers/openai-adapter.ts";
import type { FindModel, Model } from "../port.ts";
import { scriptedModel } from "../scripted/scripted-model.ts";
import { sdkModel } from "../providers/sdk-model.ts";
import type { Sleep } from "../providers/sleep.ts";

export interface FinderOptions {
  readonly config: { readonly models: Readonly<Record<string, ModelConfig>> };
  /** Where keys are looked up; never the process's own environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The project's own scripts, then those that ship with Colloquy. */
  readonly scriptsDir: string;
  /** The project's folder, from which installed providers are found; default: the one that holds `scriptsDir`. */
  readonly dir?: string | undefined;
  readonly builtInScriptsDir?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly sleep?: Sleep | undefined;
  readonly now?: (() => number) | undefined;
}

const KEY_ENV: Readonly<Record<string, string>> = { openai: "OPENAI_API_KEY", anthropic: "ANTHROPIC_API_KEY" };
const HOSTS: Readonly<Record<string, string>> = { openai: "api.openai.com", anthropic: "api.anthropic.com" };

/** The variable of a model's key, if it needs one. */
export const keyEnvOf = ({ provider, apiKeyEnv }: ModelConfig): string | undefined => apiKeyEnv ?? KEY_ENV[provider];

/** Finds models by a name in `models`, or by `provider/id`. Each is created once; its library is loaded at its first call. */
export function modelFinder(options: FinderOptions): FindModel {
  const found = new Map<string, Model>();
  return (name) => {
    const known = found.get(name);
    if (known) return known;
    const config = modelConfigOf(name, options);
    const model = config.provider === "scripted" ? scripted(config, options) : provided(config, options);
    found.set(name, model);
    return model;
  };
}

/** Resolves a name: an entry of `models`, or a provider's model without one. */
function modelConfigOf(name: string, { config }: FinderOptions): ModelConfig {
  const own = Object.hasOwn(config.models, name) ? config.models[name] : undefined;
  if (own) return own;
  const [, provider, id] = /^(openai|anthropic|scripted)\/(.+)$/.exec(name) ?? [];
  if (provider && id) return { provider: provider as "openai" | "anthropic" | "scripted", id };
  const names = Object.keys(config.models);
  const known = [...names, "openai/…", "anthropic/…", "scripted/…"].join(", ");
  throw new Fault(
    "model_unknown",
    "never",
    `There is no model "${name}".${didYouMean(name, names)} Known: ${known}. colloquy models lists them.`,
  );
}

function provided(config: ModelConfig, { env, fetch, now = Date.now, scriptsDir, dir = dirname(scriptsDir) }: FinderOptions): Model {
  const { provider, id, baseURL } = config;
  const keyEnv = keyEnvOf(config);
  const key = keyEnv === undefined ? undefined : env[keyEnv] || undefined;
  const isOwnEndpoint = provider === "openai-compatible";
  if (keyEnv !== undefined && !isOwnEndpoint && key === undefined)
    throw new Fault(
      "model_no_key",
      "never",
      `No key for ${provider}. Set ${keyEnv} (or put it into .env), or try the team without a key: colloquy demo`,
    );

  const name = `${provider}/${id}`;
  const host = baseURL === undefined ? (HOSTS[provider] ?? "") : new URL(baseURL).host;
  const known = knownModel(provider, id);
  const facts = {
    name,
    provider: limitKey(config, host),
    contextWindow: config.contextWindow ?? known?.contextWindow,
    price: config.price ?? known?.price,
    endpoint: {
      label: isOwnEndpoint ? host : provider,
      host,
      model: id,
      keyEnv,
      key,
      knownModels: provider === "openai" || provider === "anthropic" ? Object.keys(KNOWN_MODELS[provider]) : [],
    },
    now,
  };
  return sdkModel(facts, adapterFor(config, { name, id, apiKey: key, baseURL, fetch }, dir));
}

function adapterFor(config: ModelConfig, reach: Reach, dir: string): Adapter {
  const { provider, id } = config;
  if (provider.startsWith("npm:")) return installedAdapter(config, reach, dir);
  if (provider === "anthropic") return anthropicAdapter(reach);
  if (provider === "openai") return openaiAdapter(reach);
  const { baseURL } = reach;
  if (baseURL === undefined)
    throw new Fault(
      "model_unknown",
      "never",
      `The model "${id}" is openai-compatible and needs baseURL in colloquy.yaml, such as "http://127.0.0.1:8080/v1".`,
    );
  return compatibleAdapter({ ...reach, baseURL });
}

/** A provider that the user has installed; its package is loaded by the first call. */
function installedAdapter({ provider, id, options = {} }: ModelConfig, reach: Reach, dir: string): Adapter {
  const { apiKey, baseURL, fetch } = reach;
  const given = { ...options, ...(apiKey && { apiKey }), ...(baseURL && { baseURL }), ...(fetch && { fetch }) };
  let loading: ReturnType<typeof npmModel> | undefined;
  const load = () => {
    loading ??= npmModel({ provider, id, dir, options: given });
    // It may be installed meanwhile.
    loading.catch(() => (loading = undefined));
    return loading;
  };
  return givenAdapter(load, provider === "npm:@ai-sdk/anthropic" ? "anthropic" : provider, reach);
}

/** Requests that share a rate limit: one account of one provider, or one endpoint. */
function limitKey({ provider, baseURL, apiKeyEnv }: ModelConfig, host: string): string {
  return [
    provider,
    ...(baseURL === undefined ? [] : [`@${host}`]),
    ...(apiKeyEnv === undefined || provider === "openai-compatible" ? [] : [`#${apiKeyEnv}`]),
  ].join("");
}

/** A price and a window, so that limits can be tried. */
function scripted({ id: name, price, contextWindow }: ModelConfig, { scriptsDir, builtInScriptsDir, sleep }: FinderOptions): Model {
  const dirs = [scriptsDir, ...(builtInScriptsDir === undefined ? [] : [builtInScriptsDir])];
  // A name is not a path: it must not lead out of the folder.
  const dir = basename(name) === name ? dirs.find((one) => existsSync(join(one, `${name}.yaml`))) : undefined;
  if (dir === undefined) {
    const names = scriptNames(dirs);
    const known = names.length > 0 ? ` Known: ${names.join(", ")}.` : "";
    throw new Fault(
      "model_unknown",
      "never",
      `There is no script "${name}".${didYouMean(name, names)}${known} A script of your own is a file scripts/${name}.yaml.`,
    );
  }
  const file = `${basename(dir)}/${name}.yaml`;
  let loading: ReturnType<typeof loadScript> | undefined;
  const load = () => (loading ??= loadScript(join(dir, `${name}.yaml`), file).catch(reload));
  const reload = (error: unknown) => {
    loading = undefined; // corrected files are read again
    throw error;
  };
  const model = scriptedModel(`scripted/${name}`, load, { file, ...(sleep && { sleep }) });
  return { ...model, ...(price && { price }), ...(contextWindow !== undefined && { contextWindow }) };
}

/** The scripts in these folders, by model name. */
export function scriptNames(dirs: readonly string[]): readonly string[] {
  const files = dirs.flatMap((dir) => (existsSync(dir) ? readdirSync(dir) : []));
  return [...new Set(files.filter((file) => file.endsWith(".yaml")).map((file) => basename(file, ".yaml")))].sort();
}
