import { randomBytes } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { type AiModel, demandModel, type FindModel } from "@colloquy/models";
import {
  agreementIn,
  type Clock,
  type Documents,
  Engine,
  fileDocuments,
  realClock,
  retryPolicy,
  type RetryPolicy,
  layers,
  type LayerStore,
  mirroredDocuments,
  type Tool,
} from "@colloquy/runtime";
import { type ConfigInput, Refused, timeOrderedId } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import type { LogEntry } from "@colloquy/tracing";
import { resumeUnblocked } from "../dialogs/resume-unblocked.ts";
import type { DefinedAgent, Models } from "../team/define-agent.ts";
import { type Environment, environmentOf } from "./environment.ts";
import { CONFIG_FILE } from "./find-project.ts";
import { type NodeSettings, openStore } from "./open-store.ts";
import { storeUrl } from "./store-setting.ts";
import { Project } from "../project/project.ts";
import { ProjectTeam, type TrustGate } from "../team/project-team.ts";
import { type Settings, settingsInCode } from "../team/settings.ts";
import { logCommits } from "../tracing/log-commits.ts";
import { sendMetrics } from "../tracing/send-metrics.ts";
import { startTracing, type Tracing } from "../tracing/start-tracing.ts";
import { tracingSettings } from "../tracing/tracing-settings.ts";
import { unlessLocked } from "./unless-locked.ts";

const HANDLES = Symbol.for("colloquy.projects");

export interface OpenOptions {
  /** The project's folder. */
  readonly dir: string;
  /** Agents in code, beside those of `colloquy.yaml` and `agents/*.md`. */
  readonly agents?: readonly DefinedAgent[] | undefined;
  /** Tools in code for agents in files, which name them `code:name`. Agents whose tools are missing are not driven. */
  readonly tools?: readonly Tool[] | undefined;
  /** The model of agents that name none: by name, or a model of the AI SDK; or several, of which the first that works is used. */
  readonly model?: Models | undefined;
  /** The model that titles dialogs; default: `defaults.titleModel`, else the first line is the title. */
  readonly titleModel?: string | AiModel | undefined;
  /**
   * `all` (default, or true): resume whatever was left unfinished. `touched`: only what this process touches. `none` (or false): only
   * ask and answer.
   */
  readonly drive?: boolean | "all" | "touched" | "none" | undefined;
  readonly env?: Environment | undefined;
  /** How this process takes part in a project that several processes have open. */
  readonly node?: Pick<NodeSettings, "place" | "url"> | undefined;
  /**
   * For programs that open foreign folders: settings apply only if this function accepts what they would run and send.
   * If absent, the folder is trusted.
   */
  readonly trust?: TrustGate | undefined;
  /** Receives messages for a person; default: standard error. */
  readonly report?: ((message: string) => void) | undefined;
  /** Receives a log entry for each commit of this process, for programs that collect logs. Entries contain no texts. */
  readonly log?: ((entry: LogEntry) => void) | undefined;
  /** From here on: replacements for tests. */
  readonly store?: Store | undefined;
  readonly documents?: Documents | undefined;
  /** The layers on which commands run. */
  readonly staging?: LayerStore | undefined;
  readonly findModel?: FindModel | undefined;
  /** Settings in code, as `colloquy.yaml` would have them; only for folders without that file. A function is asked again before each step. */
  readonly config?: ConfigInput | (() => ConfigInput) | undefined;
  readonly clock?: Clock | undefined;
  readonly newId?: (() => string) | undefined;
  readonly chance?: (() => number) | undefined;
  readonly retry?: RetryPolicy | undefined;
}

/**
 * One handle per folder: opening it again in this process returns the same one. It belongs to the process, not to this module, because
 * a bundler or a reload may load a second copy of the module.
 */
const shared = globalThis as { [HANDLES]?: Map<string, Promise<Project>> };
const handles = (shared[HANDLES] ??= new Map());

/** Random bytes are fetched in blocks: ten bytes cost as much as a page. */
function randomIds(clock: Clock): () => string {
  let pool = randomBytes(4_000);
  let used = 0;
  return () => {
    if (used + 10 > pool.length) [pool, used] = [randomBytes(4_000), 0];
    used += 10;
    return timeOrderedId(clock.now(), pool.subarray(used - 10, used));
  };
}

/** The composition root: the only place that names concrete stores, models and clocks. */
export async function openProject(options: OpenOptions): Promise<Project> {
  for (const model of [options.model ?? [], options.titleModel ?? []].flat()) demandModel(model, "The model of openProject");
  if (options.store) return compose(options, options.dir, options.store, () => undefined);
  if (!existsSync(options.dir)) throw new Refused({ code: "not_found", message: `There is no folder ${options.dir}.` });
  const dir = realpathSync(options.dir);
  const open = handles.get(dir);
  if (open) return adopted(await open, options);
  const project = openFolder(options, dir);
  handles.set(dir, project);
  project.catch(() => handles.delete(dir));
  return project;
}

async function adopted(project: Project, { agents = [], tools = [] }: OpenOptions): Promise<Project> {
  await project.adopt({ agents, tools });
  return project;
}

async function openFolder(options: OpenOptions, dir: string): Promise<Project> {
  const url = await storeUrl(dir, options.env ?? process.env, options);
  const store = await unlessLocked(() => openStore(dir, url, { ...options.node, claims: driveOf(options.drive) }));
  try {
    return await compose(options, dir, store, () => void handles.delete(dir));
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function compose(options: OpenOptions, dir: string, store: Store, onClose: () => void): Promise<Project> {
  const report = options.report ?? ((message) => process.stderr.write(`${message}\n`));
  const clock = options.clock ?? realClock;
  const team = new ProjectTeam(
    {
      dir,
      agents: options.agents ?? [],
      tools: options.tools ?? [],
      model: options.model,
      titleModel: options.titleModel,
      env: options.env ?? process.env,
      findModel: options.findModel,
      trust: options.trust,
      settings: settingsOf(options.config, dir),
      needsModels: driveOf(options.drive) !== "none",
      now: () => clock.now(),
      report,
    },
    existsSync(join(dir, CONFIG_FILE)),
  );
  await team.refresh();
  const drive = driveOf(options.drive);
  const traced =
    drive === "none" ? undefined : tracingSettings(team.settings?.config.tracing, environmentOf(dir, options.env ?? process.env));
  let tracing: Tracing | undefined;
  const engine = await Engine.open(
    {
      store,
      dir,
      documents: options.documents ?? documentsOf(dir, store, report),
      staging: options.staging ?? layers,
      team: () => team,
      refresh: () => team.refresh(),
      clock,
      newId: options.newId ?? randomIds(clock),
      chance: options.chance ?? Math.random,
      retry: options.retry ?? retryPolicy,
      spans: () => tracing?.spans,
      secrets: () => team.secrets,
      // Returns nothing: in a catch, a result would pass for the value that could not be read.
      report: (error, where) => {
        report(`${where}: ${error instanceof Error ? error.message : String(error)}`);
      },
    },
    { drives: drive !== "none", drivesAll: drive === "all" },
  );
  if (options.log) await logCommits(store, dir, options.log);
  team.onLimits = () => void engine.watch.limitsChanged();
  const project = new Project({
    dir,
    team,
    engine,
    drives: drive !== "none",
    drivesAll: drive === "all",
    onClose,
    ...(traced?.target.metricsUrl !== undefined && {
      sendMetrics: (read) => sendMetrics(traced, { read, clock: options.clock, report }),
    }),
  });
  if (traced?.target.tracesUrl !== undefined) {
    tracing = await startTracing(traced, { store, team, report });
    project.trace(tracing);
  }
  void engine.catchUp();
  if (drive !== "none") engine.watch.watchDeadlines();
  if (drive === "all") {
    await engine.recovery.takeUp();
    await resumeUnblocked(engine, engine.commands, team);
    await engine.watch.watchLimits();
    team.onRetention = () => engine.retention.start();
    engine.retention.start();
  }
  return project;
}

/** The folder's files; if the store keeps documents, they mirror it. */
function documentsOf(dir: string, { documents: stored }: Store, report: (message: string) => void): Documents {
  const files = fileDocuments(dir);
  return stored ? mirroredDocuments({ files, stored, agreement: agreementIn(dir), report }) : files;
}

/** Parsed again only if a different object is passed. */
function settingsOf(config: OpenOptions["config"], dir: string): (() => Settings) | undefined {
  if (config === undefined) return undefined;
  if (existsSync(join(dir, CONFIG_FILE))) {
    throw new Refused({
      code: "bad_config",
      message: `Settings are given twice: as config to openProject and in ${join(dir, CONFIG_FILE)}. Keep one of them.`,
    });
  }
  let known: { readonly config: ConfigInput; readonly settings: Settings } | undefined;
  return () => {
    const now = typeof config === "function" ? config() : config;
    if (known?.config !== now) known = { config: now, settings: settingsInCode(now) };
    return known.settings;
  };
}

const driveOf = (drive: OpenOptions["drive"] = "all") => (typeof drive === "string" ? drive : drive ? "all" : "none");
