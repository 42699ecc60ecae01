import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { keyEnvOf } from "@colloquy/models";
import {
  type A2aConfig,
  a2aAddress,
  isKeyName,
  type McpServerConfig,
  type ModelConfig,
  npubOf,
  publicKeyIn,
  type TracingConfig,
  VARIABLE,
} from "@colloquy/schema";
import { type Environment, environmentOf } from "./environment.ts";
import { CONFIG_FILE } from "./find-project.ts";
import { nostrVariables } from "./nostr-keys.ts";
import { type Settings, settingsIfAny } from "../team/settings.ts";

/** One thing that happens because of a folder's files: a program that runs, or something that leaves this machine. */
export interface Reach {
  readonly what: string;
  /** The setting or file that causes it. */
  readonly where: string;
  /** What else must stay unchanged for an approval to remain valid; not shown to people. */
  readonly detail?: string;
}

/** What a folder's settings would run and send. Reads the files, runs nothing. Throws `Refused` (`bad_config`) like `readSettings`. */
export const describeReach = async (dir: string): Promise<readonly Reach[]> => reachOf(await settingsIfAny(dir), dir);

/** The same for settings that have been read. */
export function reachOf({ config, agents }: Settings, dir: string): readonly Reach[] {
  // Only from the folder's own files, so that the list is the same on every machine.
  const own = environmentOf(dir, {});
  const servers = Object.entries(config.mcp.servers).map(([name, server]) => serverReach(name, server, own));
  const named = [
    ...Object.entries(config.models).map(([name, model]) => ({ model, where: `${CONFIG_FILE}: models.${name}` })),
    ...[config.defaults.model, config.defaults.titleModel].flat().flatMap((name) => modelNamed(name, `${CONFIG_FILE}: defaults`)),
    ...[...agents].flatMap(([id, { model, busyModel }]) =>
      [model, busyModel].flat().flatMap((name) => modelNamed(name, `the agent ${id}`)),
    ),
  ];
  const models = named.flatMap(({ model, where }) => modelReach(model, where));
  const { host, url } = config.server;
  const all = [
    ...servers,
    ...[...agents].flatMap(([id, { a2a }]) => (a2a === undefined ? [] : elsewhereReach(id, a2a, own))),
    ...models,
    ...tracingReach(config.tracing, own),
    ...nostrReach({ config, agents }),
    ...storeReach(config.store),
    ...(isLoopback(host) ? [] : [{ what: `listens on ${host} when it is served`, where: `${CONFIG_FILE}: server.host` }]),
    ...(url === undefined
      ? []
      : [
          {
            what: `tells other nodes of its database to connect to ${url}, with the project's secret`,
            where: `${CONFIG_FILE}: server.url`,
          },
        ]),
    ...(config.server.origins.length > 0
      ? [{ what: `lets pages of ${config.server.origins.join(", ")} use it when it is served`, where: `${CONFIG_FILE}: server.origins` }]
      : []),
    ...(config.a2a.push.length > 0
      ? [{ what: `tells programs at ${config.a2a.push.join(", ")} of their tasks when it is served`, where: `${CONFIG_FILE}: a2a.push` }]
      : []),
    ...Object.entries(config.users).map(([name, { role, tokenHash }]) => ({
      what: `lets in ${name} (${role}) when it is served`,
      where: `${CONFIG_FILE}: users`,
      detail: tokenHash,
    })),
    ...(config.shell.network
      ? [
          {
            what: `lets agents' commands use ${config.shell.hostNetwork ? "this machine's own network" : "the network"}`,
            where: `${CONFIG_FILE}: shell.network`,
          },
        ]
      : []),
  ];
  return [
    ...new Map(
      all.map((one: Reach) => [`${one.what}\0${one.detail ?? ""}`, { ...one, what: plain(one.what), where: plain(one.where) }]),
    ).values(),
  ];
}

/** Hash of the whole list without line numbers: moving a setting needs no new approval. */
export const reachHash = (reach: readonly Reach[]): string =>
  `sha256:${createHash("sha256")
    .update(JSON.stringify(reach.map(({ what, detail }) => `${what}\0${detail ?? ""}`).toSorted()))
    .digest("hex")}`;

/** What came with a folder that is new on this machine: tokens, and dialogs that would resume. */
export async function describeArrivals(dir: string): Promise<readonly Reach[]> {
  const { agents } = await settingsIfAny(dir);
  const dialogs = join(dir, ".dialogs");
  const has = (name: string) => (statSync(join(dialogs, name), { throwIfNoEntry: false })?.size ?? 0) > 0;
  const isLink = lstatSync(dialogs, { throwIfNoEntry: false })?.isDirectory() === false;
  const inside = isLink || !existsSync(dialogs) ? [] : readdirSync(dialogs, { withFileTypes: true });
  const hasLinks = isLink || inside.some((entry) => entry.isSymbolicLink()) || linksIn(join(dialogs, "journal"));
  const isWorkedOn = inside.some(({ name }) => name !== ".gitignore");
  return [
    ...(["server-token", "sessions.json", "server.json"].some(has)
      ? [{ what: "admits anyone who has its tokens", where: ".dialogs/server-token, sessions.json, server.json" }]
      : []),
    // Only the program whose code defines a team can drive it.
    ...(hasLinks ? [{ what: "has links among its dialogs, through which Colloquy would write elsewhere", where: ".dialogs/" }] : []),
    ...(agents.size > 0 && isWorkedOn ? [{ what: "continues dialogs, tasks and approvals that came with it", where: ".dialogs/" }] : []),
  ];
}

const linksIn = (folder: string): boolean =>
  existsSync(folder) && readdirSync(folder, { withFileTypes: true }).some((entry) => entry.isSymbolicLink());

function serverReach(
  name: string,
  { command, args = [], cwd, env = {}, url, headers = {}, tokenEnv, sandbox, writes }: McpServerConfig,
  own: Environment,
): Reach {
  const where = `${CONFIG_FILE}: mcp.servers.${name}`;
  const filled = (text: string) => text.replaceAll(VARIABLE, (written, variable: string) => own[variable] ?? written);
  const texts = [command ?? "", ...args, cwd ?? "", url ?? "", ...Object.values(env), ...Object.values(headers)];
  const variables = new Set([
    ...texts.flatMap((text) => [...text.matchAll(VARIABLE)].map(([, variable = ""]) => variable)),
    ...(tokenEnv ? [tokenEnv] : []),
  ]);
  const given = variables.size > 0 ? `, with ${[...variables].join(", ")} of your environment` : "";
  if (url !== undefined) return { what: `connects to ${filled(url)}${given}`, where, detail: JSON.stringify([url, headers, tokenEnv]) };
  const line = [filled(command ?? ""), ...args].map((word) => (/^[\w@./:=${}-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
  return {
    what: `runs ${line}${cwd === undefined ? "" : ` in ${filled(cwd)}`}${sandbox ? " in the sandbox" : ""}${writes ? ", where it may change files" : ""}${given}`,
    where,
    detail: JSON.stringify([
      args.map(filled),
      Object.entries(env).map(([variable, value]) => [variable, isKeyName(variable) ? value : filled(value)]),
    ]),
  };
}

/** An agent elsewhere is sent what its askers write to it. */
function elsewhereReach(id: string, a2a: A2aConfig, own: Environment): readonly Reach[] {
  const { url, headers = {}, tokenEnv } = a2aAddress(a2a);
  const variables = new Set([
    ...[url, ...Object.values(headers)].flatMap((text) => [...text.matchAll(VARIABLE)].map(([, variable = ""]) => variable)),
    ...(tokenEnv === undefined ? [] : [tokenEnv]),
  ]);
  const given = variables.size > 0 ? `, with ${[...variables].join(", ")} of your environment` : "";
  const to = url.replaceAll(VARIABLE, (written, variable: string) => own[variable] ?? written);
  const what = `sends what agents write to ${id} to ${to}${given}`;
  return [{ what, where: `the agent ${id}: a2a`, detail: JSON.stringify([url, headers, tokenEnv]) }];
}

/** The folder's `.env` may name the collector, too. */
function tracingReach(tracing: TracingConfig | undefined, own: Environment): readonly Reach[] {
  const { url = own.OTEL_EXPORTER_OTLP_ENDPOINT, headers = {}, content = false } = tracing ?? {};
  const others = [own.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, own.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT];
  const where = tracing?.url === undefined ? ".env" : `${CONFIG_FILE}: tracing`;
  const variables = new Set([
    ...[url ?? "", ...Object.values(headers)].flatMap((text) => [...text.matchAll(VARIABLE)].map(([, variable = ""]) => variable)),
    // A person's keys for a collector of their own would go along.
    "OTEL_EXPORTER_OTLP_*HEADERS",
  ]);
  const given = `, with ${[...variables].join(", ")} of your environment`;
  const what = content ? "sends traces with everything that is said" : "sends traces";
  return [url, ...others]
    .filter((one) => one !== undefined)
    .map((one) => ({
      what: `${what} to ${one.replaceAll(VARIABLE, (written, variable: string) => own[variable] ?? written)}${given}`,
      where,
      detail: JSON.stringify(headers),
    }));
}

/** What is published on relays is public, and cannot be taken back. */
function nostrReach(settings: Settings): readonly Reach[] {
  const { relays = [], allow = [], approve = [] } = settings.config.nostr ?? {};
  if (relays.length === 0) return [];
  const where = `${CONFIG_FILE}: nostr`;
  const variables = nostrVariables(settings);
  const signed = variables.length === 0 ? "" : `, signed with ${variables.join(", ")} of your environment`;
  return [
    { what: `publishes what agents answer there on ${relays.join(", ")} when it is served${signed}`, where },
    ...allow.map((key) => ({ what: `lets ${npubOf(publicKeyIn(key) ?? "")} talk to the team on Nostr when it is served`, where })),
    ...approve.map((key) => ({ what: `lets ${npubOf(publicKeyIn(key) ?? "")} approve calls on Nostr when it is served`, where })),
  ];
}

function storeReach(store = "file:"): readonly Reach[] {
  if (store === "file:") return [];
  const variables = [...store.matchAll(VARIABLE)].map(([, name = ""]) => name);
  const given = variables.length > 0 ? `, with ${variables.join(", ")} of your environment` : "";
  // A password belongs in a variable; one that is written out is not shown.
  const shown = store.replace(/^(postgres(?:ql)?:\/\/[^:@/]*):[^@/]*@/, "$1@");
  return [{ what: `keeps everything that is said in ${shown}${given}`, where: `${CONFIG_FILE}: store`, detail: store }];
}

/** A model that is named without an entry of its own. */
function modelNamed(name: string | undefined, where: string): readonly { readonly model: ModelConfig; readonly where: string }[] {
  const [, provider, id] = /^(openai|anthropic)\/(.+)$/.exec(name ?? "") ?? [];
  return provider && id ? [{ model: { provider: provider as "openai" | "anthropic", id }, where }] : [];
}

const HOSTS: Readonly<Record<string, string>> = { openai: "api.openai.com", anthropic: "api.anthropic.com" };

function modelReach(model: ModelConfig, where: string): readonly Reach[] {
  const { provider, baseURL } = model;
  if (provider === "scripted") return [];
  if (provider.startsWith("npm:")) {
    const [name = ""] = provider.slice("npm:".length).split("#");
    const secret = model.apiKeyEnv === undefined ? "" : `, with ${model.apiKeyEnv} of your environment`;
    const at = baseURL === undefined ? "" : ` at ${new URL(baseURL).host}`;
    const what = `runs the package ${plain(name)}, which is given what agents read and write${at}${secret}`;
    return [{ what, where, detail: JSON.stringify(model.options ?? {}) }];
  }
  const url = baseURL === undefined ? undefined : new URL(baseURL);
  const host = url?.host ?? HOSTS[provider];
  const key = keyEnvOf(model);
  if (host === undefined) return [];
  if (url && isLoopback(url.hostname.replace(/^\[|\]$/g, ""))) {
    // Another program than the one the key is for may listen there.
    return key === undefined ? [] : [{ what: `gives ${key} of your environment to ${url.host}`, where }];
  }
  const what = `sends what agents read and write to ${url?.protocol === "http:" ? "http://" : ""}${host}`;
  return [{ what: `${what}${key === undefined ? "" : `, with ${key} of your environment`}`, where }];
}

/** Texts from a folder are shown in a terminal and must not contain control characters. */
const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
