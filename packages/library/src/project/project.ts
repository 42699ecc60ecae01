import { type ModelTest, testModel } from "@colloquy/models";
import type { Engine, LiveEvent, Tool } from "@colloquy/runtime";
import { type Line, type NostrView, type QuestionId, Refused, type RootId, type StreamId } from "@colloquy/schema";
import { nodeRow, type NodeRow } from "./node-row.ts";
import type { Cluster, Committed, Store, StoreHealth } from "@colloquy/store";
import type { TracingState } from "@colloquy/tracing";
import { Dialogs } from "../dialogs/dialogs.ts";
import type { Signed } from "../dialogs/signed.ts";
import { resumeUnblocked } from "../dialogs/resume-unblocked.ts";
import { Effects } from "../effects/effects.ts";
import { type Located, type Look, locate } from "../open/locate.ts";
import { lookPastDamage } from "../open/look-past-damage.ts";
import { MEMORY_FOLDER, type MemoryDocument, readMemory } from "../open/memory.ts";
import { ProcessHold } from "../open/process-hold.ts";
import { Grants } from "../questions/grants.ts";
import { Notices } from "../questions/notices.ts";
import { Notifications } from "../questions/notifications.ts";
import { Questions } from "../questions/questions.ts";
import { findWords, type SearchResult } from "../search/find-words.ts";
import { SearchIndex } from "../search/search-index.ts";
import type { DefinedAgent } from "../team/define-agent.ts";
import type { HealthReport, HealthWatch } from "../health/health-watch.ts";
import type { ProjectTeam } from "../team/project-team.ts";
import { type SettingsView, settingsView } from "../team/settings-view.ts";
import type { Figure } from "../tracing/send-metrics.ts";
import type { Tracing } from "../tracing/start-tracing.ts";
import { type BackupQuery, writeBackup } from "../backup/write-backup.ts";
import { costNotices } from "./cost-notices.ts";
import { type ImportedDialog, importFile, type ImportSource } from "../transfer/import-file.ts";
import { ProjectFiles } from "./project-files.ts";
import { type ProjectLog, projectLog } from "./project-log.ts";
import { ProjectTasks } from "./project-tasks.ts";
import { readUsage, type UsageBy, type UsageRow } from "./usage.ts";

/** An open project. The command line and the server use nothing else. Refusals are thrown as `Refused`. */
export class Project {
  readonly dir: string;
  readonly agents: ProjectTeam;
  readonly dialogs: Dialogs;
  readonly questions: Questions;
  readonly notifications: Notifications;
  readonly notices: Notices;
  readonly grants: Grants;
  readonly effects: Effects;
  readonly tasks: ProjectTasks;
  readonly #engine: Engine;
  readonly #store: Store;
  readonly #drives: boolean;
  readonly #drivesAll: boolean;
  readonly #files: ProjectFiles;
  readonly #hold = new ProcessHold();
  readonly #lookPastDamage: Look;
  #search: SearchIndex | undefined;
  #health: HealthWatch | undefined;
  #tracing: Tracing | undefined;
  #nostr: (() => Promise<NostrView>) | undefined;
  readonly #sendMetrics: ProjectParts["sendMetrics"];
  readonly #onClose: () => void;
  readonly #closers: (() => Promise<void> | void)[] = [];

  /** @internal */
  constructor({ dir, team, engine, drives, drivesAll, onClose, sendMetrics }: ProjectParts) {
    const look: Look = (rootId, see) => engine.trees.look(rootId, ({ state }) => see(state));
    const looks = { look, lookPastDamage: lookPastDamage(engine.deps, look) };
    this.dir = dir;
    this.agents = team;
    const callsOf = async (digits: string) => (await this.indexWords().effects({ call: digits, limit: 10 }, true)).map(({ call }) => call);
    this.dialogs = new Dialogs({ engine, team, hold: this.#hold, look, callsOf });
    this.questions = new Questions(engine, looks, {
      hold: this.#hold,
      names: () => [...team.members().flatMap(({ id, name }) => [id, name]), ...team.users.map(({ name }) => name)],
    });
    this.notifications = new Notifications(engine.deps.store, engine.notices, looks);
    this.notices = new Notices(engine.notices);
    this.grants = new Grants(engine.rulebook, engine.commands);
    this.effects = new Effects({
      store: engine.deps.store,
      commands: engine.commands,
      index: () => this.indexWords(),
      address: (dialog) => this.dialogs.address(dialog),
    });
    this.tasks = new ProjectTasks(engine, () => team.taskLimit);
    this.#engine = engine;
    this.#store = engine.deps.store;
    this.#drives = drives;
    this.#sendMetrics = sendMetrics;
    this.#drivesAll = drivesAll;
    this.#lookPastDamage = looks.lookPastDamage;
    this.#files = new ProjectFiles(dir);
    this.#onClose = onClose;
  }

  /** Dialogs of any depth and questions whose id has these digits; several if the digits are ambiguous. */
  async locate(digits: string, limit = 6): Promise<readonly Located[]> {
    return locate(this.#store, this.#lookPastDamage, digits, limit);
  }

  /** Names of project files that match what was typed, best match first; files hidden from tools are left out. */
  files = (typed: string, limit = 20): Promise<readonly string[]> => this.#files.fitting(typed, limit);

  /** While `limits.costPerDay` is spent: the open question about it, if any, and when work resumes by itself. */
  spentDay(): { readonly question?: QuestionId; readonly until: string } | undefined {
    const spent = this.#engine.dayGate.spent();
    return spent && { until: new Date(spent.until).toISOString(), ...(spent.question !== undefined && { question: spent.question }) };
  }

  /** Resumes what an earlier process left unfinished. */
  async takeUp(rootId?: RootId): Promise<void> {
    await this.#engine.recovery.takeUp(rootId);
  }

  /**
   * Resumes unfinished work in one tree or in all, and runs until only people can continue it. False if the signal came first; work in
   * progress then continues.
   */
  async drive(rootId?: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<boolean> {
    if (!this.#drives)
      throw new Refused({ code: "bad_request", message: "This process doesn't drive work: the project was opened with drive: false." });
    const only = rootId === undefined ? undefined : this.dialogs.known(rootId);
    signal?.throwIfAborted();
    await this.#engine.recovery.takeUp(only);
    if (only !== undefined) return this.dialogs.quiet(only, signal);
    for (const one of this.#store.hot()) {
      // A damaged tree was reported when it was taken up.
      const isQuiet = await this.dialogs.quiet(one, signal).catch((error: unknown) => {
        if (this.#store.damageOf(one) === undefined) throw error;
        return true;
      });
      if (!isQuiet) return false;
    }
    return true;
  }

  /** Adds agents and tools when the project is opened again, and resumes dialogs that stopped for lack of them. @internal */
  async adopt(more: { readonly agents: readonly DefinedAgent[]; readonly tools: readonly Tool[] }): Promise<void> {
    if (this.agents.adopt(more) && this.#drivesAll) await resumeUnblocked(this.#engine, this.#engine.commands, this.agents);
  }

  /** Lines of a tree, or of the project's own stream. */
  async lines(stream: StreamId, after: number, limit?: number): Promise<readonly Line[]> {
    return this.#store.read(stream, after, limit);
  }

  /** Every commit, in order, once it is durable. Returns an unsubscribe function. */
  onCommit(listener: (committed: Committed) => void): () => void {
    return this.#store.watch(listener);
  }

  /** Text as models write it. Returns an unsubscribe function. */
  onLive(listener: (event: LiveEvent) => void): () => void {
    return this.#engine.live.add(listener);
  }

  /** Warnings about settings that may cost money. */
  costNotices(): readonly string[] {
    return costNotices(this.agents);
  }

  /**
   * Makes the dialogs of a file that was exported: under their own ids where these are free, and stopped wherever there is something to do.
   * A file with anything wrong in it is refused whole.
   */
  async import(source: ImportSource, signed: Signed = {}): Promise<readonly ImportedDialog[]> {
    return importFile(this.#engine, source, signed);
  }

  async usage(by: UsageBy): Promise<{ readonly rows: readonly UsageRow[]; readonly unread: readonly RootId[] }> {
    return readUsage(this.dialogs, by);
  }

  /**
   * Finds texts and titles that contain all words, newest first. The index is built in the background from the first search on;
   * `isComplete` says whether it covers older events. `whole`: wait until it does.
   */
  async search(query: string, options: { readonly limit?: number; readonly whole?: boolean } = {}): Promise<SearchResult> {
    return findWords(this.indexWords(), (rootId) => this.dialogs.entry(rootId), query, options);
  }

  /** Starts the search index if it is not running. A server calls it at once, so that the first search is quick. */
  indexWords(): SearchIndex {
    return (this.#search ??= new SearchIndex(this, (error) => this.#engine.deps.report(error, "search")));
  }

  /** Notes of the team and its agents. */
  async memory(): Promise<readonly MemoryDocument[]> {
    const { documents } = this.#engine.deps;
    await documents.ready?.([MEMORY_FOLDER]);
    return readMemory(documents);
  }

  /** Makes one small real call to a model, named as in the settings or as `provider/id`. */
  async testModel(name: string, signal: AbortSignal): Promise<ModelTest> {
    await this.agents.refresh();
    return testModel(this.agents.findModel(name), signal);
  }

  /** Allows the changed programs of an MCP server to run, after a person reviewed them. */
  async allowServer(name: string): Promise<void> {
    await this.agents.refresh();
    await this.agents.allowServer(name);
  }

  /** The effective settings, without secrets. */
  async settings(): Promise<SettingsView> {
    await this.agents.refresh();
    const spentDay = this.spentDay();
    const traces = this.tracing();
    const nostr = await this.#nostr?.();
    const view = settingsView(this.agents);
    return {
      ...view,
      notices: [...view.notices, ...this.healthReport().findings],
      ...(spentDay && { spentDay }),
      ...(traces && { traces: sendingView(traces) }),
      ...(nostr && { nostr }),
    };
  }

  health(): StoreHealth {
    return this.#store.health();
  }

  /** Checks every log once, and compares with what this process and the index say. It changes nothing. */
  async checkHealth(): Promise<HealthReport> {
    return (await this.#watch()).round();
  }

  /** What the checks found so far. */
  healthReport(): HealthReport {
    return this.#health?.state ?? { trees: 0, findings: [], sessions: 0 };
  }

  /** Checks every log in the background, slowly, until the project closes. @internal */
  async watchHealth(): Promise<void> {
    await (await this.#watch()).run(this.#engine.closing);
  }

  async #watch(): Promise<HealthWatch> {
    const { HealthWatch } = await import("../health/health-watch.ts");
    const { clock, report } = this.#engine.deps;
    const look: Look = (rootId, see) => this.#engine.trees.look(rootId, ({ state }) => see(state));
    return (this.#health ??= new HealthWatch({
      store: this.#store,
      look,
      clock,
      report: (finding) => report(new Error(finding), "health"),
    }));
  }

  /** The processes that share the project, in the order in which they joined; empty for a project in its folder. */
  async nodes(): Promise<readonly NodeRow[]> {
    return ((await this.#store.cluster?.nodes()) ?? []).map(nodeRow);
  }

  /** @internal */
  get log(): ProjectLog {
    return projectLog(this.#store, this.#engine.commands);
  }

  /** @internal */
  get cluster(): Cluster | undefined {
    return this.#store.cluster;
  }

  /** Rewrites the readable files of a tree from its log. They are complete once the project is closed. */
  async rewriteFiles(rootId: RootId): Promise<void> {
    await this.#engine.rewriteFiles(rootId);
  }

  /** @internal Adds the state of Nostr to the settings. */
  showNostr(state: () => Promise<NostrView>): void {
    this.#nostr = state;
  }

  /** @internal */
  trace(tracing: Tracing): void {
    this.#tracing = tracing;
  }

  /** How the sending of traces goes; undefined while tracing is off. */
  tracing(): TracingState | undefined {
    return this.#tracing?.state;
  }

  /** Sends the traces of everything that has happened. Rejects if the collector cannot be reached. */
  async flushTraces(): Promise<void> {
    await this.#tracing?.flush();
  }

  /** @internal Sends figures at the interval of the settings, until the returned function is called. Undefined if they name no address. */
  async sendMetrics(read: () => readonly Figure[]): Promise<(() => Promise<void>) | undefined> {
    return this.#sendMetrics?.(read);
  }

  /** What was committed after a position, as of now, while work goes on. `restoreProject` reads it from the files of a folder. */
  backup(query: BackupQuery = {}): Promise<AsyncIterable<Uint8Array>> {
    const { store, documents, clock } = this.#engine.deps;
    return writeBackup({ store, documents, nowMs: clock.now() }, query);
  }

  /** Registers a function to run before the project closes. */
  onClose(closer: () => Promise<void> | void): void {
    this.#closers.push(closer);
  }

  async close(): Promise<void> {
    this.#onClose();
    this.#hold.release();
    await this.tasks.stop();
    for (const closer of this.#closers.splice(0)) await closer();
    await this.#search?.close();
    await this.#tracing?.close();
    await this.#engine.close();
    await this.agents.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

const sendingView = ({ sentSpans, behind, failing }: TracingState): NonNullable<SettingsView["traces"]> => ({
  sentSpans,
  behind,
  ...(failing !== undefined && { failing }),
});

interface ProjectParts {
  readonly dir: string;
  readonly team: ProjectTeam;
  readonly engine: Engine;
  readonly drives: boolean;
  readonly drivesAll: boolean;
  readonly onClose: () => void;
  /** Absent: nobody wants figures. */
  readonly sendMetrics?: ((read: () => readonly Figure[]) => Promise<() => Promise<void>>) | undefined;
}
