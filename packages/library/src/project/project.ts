import { type Notice, type ProjectGrant, type QuestionChanges, type Tree, type TreeNode, treeView } from "@colloquy/core";
import { type ModelTest, testModel } from "@colloquy/models";
import type { Engine, LiveEvent, Tool } from "@colloquy/runtime";
import {
  type DialogId,
  type DialogView,
  type Entry,
  type ImageType,
  type Line,
  type Notification,
  type Phase,
  type QuestionId,
  type QuestionStatus,
  type QuestionView,
  Refused,
  type RootId,
  type StreamId,
  type TreeEvent,
} from "@colloquy/schema";
import { type Committed, follow, isBlobName, type Store, type StoreHealth } from "@colloquy/store";
import { resumeUnblocked } from "../dialogs/resume-unblocked.ts";
import { costNotices } from "./cost-notices.ts";
import { createDialog } from "../dialogs/create-dialog.ts";
import type { DefinedAgent, ResultOf } from "../team/define-agent.ts";
import { type ChangeMindInput, type ClearMindInput, DialogCommands, type PhaseInput, type StopInput } from "../dialogs/dialog-commands.ts";
import { DialogHandle } from "../dialogs/dialog-handle.ts";
import { imageTypeOf } from "../dialogs/images.ts";
import { Inbox, type NotificationQuery } from "../questions/inbox.ts";
import { readLastWords } from "../dialogs/last-words.ts";
import { type Located, type Look, locate, treeWith } from "../open/locate.ts";
import { lookPastDamage } from "../open/look-past-damage.ts";
import { type MemoryDocument, readMemory } from "../open/memory.ts";
import type { Message, NewDialog } from "../dialogs/message.ts";
import type { Page, PageQuery } from "../dialogs/page.ts";
import { mainAddress, type DialogAddress, type DialogReference } from "../open/dialog-address.ts";
import { ProcessHold } from "../open/process-hold.ts";
import { ProjectTasks } from "./project-tasks.ts";
import { ProjectFiles } from "./project-files.ts";
import type { ProjectTeam } from "../team/project-team.ts";
import {
  type AnswerInput,
  type ApproveInput,
  type DenyInput,
  type DismissInput,
  QuestionCommands,
} from "../questions/question-commands.ts";
import { asPromised, resultOf } from "../dialogs/result.ts";
import { findWords, type SearchResult } from "../search/find-words.ts";
import { SearchIndex } from "../search/search-index.ts";
import { seeDialog } from "../dialogs/see-dialog.ts";
import { acknowledgementsIn, sendMessage } from "../dialogs/send-message.ts";
import { type SettingsView, settingsView } from "../team/settings-view.ts";
import type { Receipt, Signed } from "../dialogs/signed.ts";
import { type Listening, subscribe, type TreeListener } from "../dialogs/subscribe.ts";
import { readTaskdoc, type TaskdocView } from "../dialogs/taskdoc.ts";
import { requireText } from "../dialogs/require-text.ts";
import { unlessAborted } from "../dialogs/unless-aborted.ts";
import { readUsage, type UsageBy, type UsageRow } from "./usage.ts";

/** An open project: everything that the command line and a server do goes through here. Refusals are thrown as `Refused`. */
export class Project {
  readonly dir: string;
  readonly team: ProjectTeam;
  readonly tasks: ProjectTasks;
  readonly #engine: Engine;
  readonly #store: Store;
  readonly #drives: boolean;
  readonly #drivesAll: boolean;
  readonly #files: ProjectFiles;
  readonly #inbox: Inbox;
  readonly #dialogs: DialogCommands;
  readonly #decisions: QuestionCommands;
  readonly #hold = new ProcessHold();
  #search: SearchIndex | undefined;
  readonly #onClose: () => void;
  readonly #letGo: (() => Promise<void> | void)[] = [];

  /** @internal */
  constructor({ dir, team, engine, drives, drivesAll, onClose }: ProjectParts) {
    this.dir = dir;
    this.team = team;
    this.tasks = new ProjectTasks(engine, () => team.taskLimit);
    this.#engine = engine;
    this.#store = engine.deps.store;
    this.#drives = drives;
    this.#drivesAll = drivesAll;
    this.#lookPastDamage = lookPastDamage(engine, this.#look);
    this.#inbox = new Inbox(engine, this.#store, { look: this.#look, lookPastDamage: this.#lookPastDamage }, this.#hold);
    this.#dialogs = new DialogCommands(engine, (where) => this.at(where));
    this.#decisions = new QuestionCommands(engine, (typed) => this.#inbox.find(typed));
    this.#files = new ProjectFiles(dir);
    this.#onClose = onClose;
  }

  readonly #lookPastDamage: Look;
  readonly #look: Look = (rootId, see) => this.#engine.look(rootId, ({ state }) => see(state));

  /** With an agent in code, `result()` gives what that agent promises. */
  async createDialog<const Agent extends string | DefinedAgent = string>(
    options: NewDialog<Agent>,
  ): Promise<DialogHandle<ResultOf<Agent>>> {
    const created = await createDialog(this.#engine, this.team, options);
    return new DialogHandle(this, created.rootId, created.seq, typeof options.agent === "object" ? options.agent : undefined);
  }

  /** A main dialog by its id. With its agent in code, `result()` gives what that agent promises, as where it was created. */
  dialog<const Agent extends DefinedAgent | undefined = undefined>(
    rootId: string,
    { agent }: { readonly agent?: Agent } = {},
  ): DialogHandle<ResultOf<Agent>> {
    return new DialogHandle(this, rootId as RootId, 0, agent);
  }

  /** What these digits name: a dialog of any depth, or a question. Several where they are not enough. */
  async locate(digits: string, limit = 6): Promise<readonly Located[]> {
    return locate(this.#store, this.#lookPastDamage, digits, limit);
  }

  /** Where the dialog with this whole id is, main or side. */
  async at(where: DialogReference): Promise<DialogAddress> {
    if (typeof where === "object") return where;
    const id = requireText("The id of a dialog", where);
    if (this.#store.has(id as RootId)) return mainAddress(id as RootId);
    const rootId = await treeWith(this.#store, this.#look, id, (tree) => tree.dialogs.has(id as DialogId));
    if (rootId === undefined) throw noDialog(id);
    return { rootId, selfId: id as DialogId };
  }

  async send(where: DialogReference, words: Message | string): Promise<Receipt> {
    const message = typeof words === "string" ? { content: words } : words;
    message.signal?.throwIfAborted();
    const place = await this.at(where);
    return unlessAborted(message.signal, () => sendMessage(this.#engine, place, message));
  }

  /** An image that came with a message or a result, by its name; undefined where there is none, or where it is something else. */
  async image(where: DialogReference, name: string): Promise<{ readonly data: Uint8Array; readonly mediaType: ImageType } | undefined> {
    const data = isBlobName(name) ? await this.#store.getBlob((await this.at(where)).rootId, name) : undefined;
    const mediaType = data && imageTypeOf(data);
    return data && mediaType && { data, mediaType };
  }

  /** Names of the project's files that fit what somebody types, the likeliest first; without what tools may not see. */
  files = (typed: string, limit = 20): Promise<readonly string[]> => this.#files.fitting(typed, limit);

  /** What the sender of a message was told because somebody was busy; where a model writes it, some time after the message. */
  async acknowledgements(where: DialogReference, message: number): Promise<readonly string[]> {
    return acknowledgementsIn(await this.events((await this.at(where)).rootId, message), message);
  }

  /** What the dialog is at from now on; the same phase with a summary is a hand-off. */
  phase = (where: DialogReference, phase: Phase, how?: PhaseInput) => this.#dialogs.phase(where, phase, how);
  rename = (where: DialogReference, title: string, signed?: Signed) => this.#dialogs.rename(where, title, signed);
  stop = (where: DialogReference, how?: StopInput) => this.#dialogs.stop(where, how);
  done = (where: DialogReference, signed?: Signed) => this.#dialogs.verb("done", where, signed);
  archive = (where: DialogReference, signed?: Signed) => this.#dialogs.verb("archive", where, signed);
  /** A side dialog that will not answer: whoever waits for it is told so. */
  dead = (where: DialogReference, signed?: Signed) => this.#dialogs.verb("dead", where, signed);
  clearMind = (where: DialogReference, how?: ClearMindInput) => this.#dialogs.clearMind(where, how);
  /** Replaces one section of the Taskdoc. */
  changeMind = (where: DialogReference, selector: "goals" | "constraints" | "progress", content: string, how?: ChangeMindInput) =>
    this.#dialogs.changeMind(where, selector, content, how);
  remind = (where: DialogReference, content: string, signed?: Signed) => this.#dialogs.remind(where, content, signed);
  /** Without content it is deleted. */
  changeReminder = (where: DialogReference, reminder: number, content: string | undefined, signed?: Signed) =>
    this.#dialogs.changeReminder(where, reminder, content, signed);

  /** The Taskdoc that the dialog's tree reads, with the version of each section. */
  async taskdoc(where: DialogReference): Promise<TaskdocView> {
    return readTaskdoc(this.#engine.deps.documents, (await this.view(where)).taskDocPath);
  }

  /** Open questions of the whole project: what frees most work first. `follow`: then each new one, until the signal is aborted. */
  questions(options?: { readonly all?: boolean | undefined; readonly signal?: AbortSignal | undefined }): Promise<readonly QuestionView[]>;
  questions(options: { readonly follow: true; readonly signal?: AbortSignal | undefined }): AsyncGenerator<QuestionView, void, undefined>;
  questions({
    all = false,
    follow: isFollowing = false,
    signal,
  }: { readonly all?: boolean | undefined; readonly follow?: boolean; readonly signal?: AbortSignal | undefined } = {}):
    | Promise<readonly QuestionView[]>
    | AsyncGenerator<QuestionView, void, undefined> {
    if (isFollowing) return this.#inbox.follow(signal ?? new AbortController().signal);
    return unlessAborted(signal, () => this.#inbox.list(all));
  }

  /** Tells of each question when it is asked or put anew. Gives the way to stop listening. */
  on(event: "question", listener: (question: QuestionView) => void): () => void {
    if (event !== "question") throw new Refused({ code: "bad_request", message: `There is no event "${String(event)}". Known: question.` });
    return this.#inbox.onAsked(listener);
  }

  /** `id`: its own, or what its agent called it, where only one open question (of the tree `within`) is called so. */
  question = (id: string, within?: RootId): Promise<QuestionView> => this.#inbox.question(id, within);
  /** Questions of any status, those of the newest tree first. */
  questionPage = (query: PageQuery<QuestionStatus> = {}): Promise<Page<QuestionView>> => this.#inbox.page(query);
  /** The questions of one tree, whatever became of them, newest first. */
  questionsIn = (rootId: string, query: PageQuery<QuestionStatus> = {}): Promise<Page<QuestionView, QuestionId>> =>
    this.#inbox.inTree(rootId as RootId, query);
  /** What was raised together. Notices, and open ones, are found without looking at other trees. */
  notifications = (query: NotificationQuery = {}): Promise<Page<Notification, string>> => this.#inbox.notifications(query);
  notification = (id: string): Promise<Notification> => this.#inbox.notification(id);
  /** A notice as a notification. */
  noticeNotification = (id: string): Notification | undefined => this.#inbox.notice(id);
  /** What a commit did to the questions of a tree. */
  questionChanges = (rootId: RootId, line: Line<TreeEvent>): Promise<QuestionChanges | undefined> => this.#inbox.changes(rootId, line);

  answer = (id: string, answer: AnswerInput | string) => this.#decisions.answer(id, answer);
  dismiss = (id: string, how?: DismissInput) => this.#decisions.dismiss(id, how);
  askBack = (id: string, content: string, signed?: Signed) => this.#decisions.askBack(id, content, signed);
  approve = (id: string, how?: ApproveInput) => this.#decisions.approve(id, how);
  deny = (id: string, how?: DenyInput) => this.#decisions.deny(id, how);

  /** What was approved for more than once. */
  grants(): readonly ProjectGrant[] {
    return this.#engine.grants();
  }

  async revokeGrant(id: string, { by = "owner", msgId }: Signed = {}): Promise<void> {
    await this.#engine.revokeGrant(id, { by, msgId });
  }

  /** While `limits.costPerDay` is spent: the open question about it, if there is one, and when work goes on by itself. */
  spentDay(): { readonly question?: QuestionId; readonly until: string } | undefined {
    const spent = this.#engine.dayGate.spent();
    return spent && { until: new Date(spent.until).toISOString(), ...(spent.question !== undefined && { question: spent.question }) };
  }

  /** What agents did without asking, because they only have to tell; those that nobody has put away. */
  openNotices(): readonly Notice[] {
    return this.#engine.notices.open();
  }

  /** Puts a notice away: it has been read. */
  async resolveNotice(id: string, { by = "owner", msgId }: Signed = {}): Promise<void> {
    await this.#engine.notices.putAway(id, { by, msgId });
  }

  /** Who waits for whom. */
  async tree(rootId: string): Promise<TreeNode> {
    const node = await this.#look(rootId as RootId, treeView);
    if (!node) throw noDialog(rootId);
    return node;
  }

  /** Lets a stopped dialog go on; one that a crash had interrupted is taken up as well. */
  async resume(where: DialogReference, signed: Signed = {}): Promise<Receipt> {
    const { rootId } = await this.at(where);
    const view = await this.view(where);
    // Somebody whom it waits for may be the one that was left in the middle.
    const isLeft = !view.stopped && (await this.#engine.look(rootId, (tree) => tree.flights.size === 0 && tree.state.ready.size > 0));
    if (isLeft) {
      await this.#engine.takeUp(rootId);
      return { seq: view.seq };
    }
    return this.#dialogs.verb("resume", where, signed);
  }

  /** Takes up what an earlier process left in the middle of something. */
  async takeUp(rootId?: RootId): Promise<void> {
    await this.#engine.takeUp(rootId);
  }

  /**
   * Takes up what was left in the middle, in one dialog's tree or in all, and works until nobody may go on without a person.
   * False when the signal came first; what is under way then goes on.
   */
  async drive(rootId?: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<boolean> {
    if (!this.#drives)
      throw new Refused({ code: "bad_request", message: "This process only asks and answers: it was opened with drive: false." });
    const only = rootId === undefined ? undefined : this.#known(rootId);
    signal?.throwIfAborted();
    await this.#engine.takeUp(only);
    if (only !== undefined) return this.quiet(only, signal);
    for (const one of this.#store.hot()) {
      // One that cannot be read has been reported when it was taken up.
      const isQuiet = await this.quiet(one, signal).catch((error: unknown) => {
        if (this.#store.damageOf(one) === undefined) throw error;
        return true;
      });
      if (!isQuiet) return false;
    }
    return true;
  }

  /** Resolves when the tree is quiet: no turn may step and none is in flight. False when the signal came first. */
  async quiet(rootId: string, signal?: AbortSignal): Promise<boolean> {
    return this.#engine.quiet(this.#known(rootId), { signal });
  }

  /** The answer, once the main dialog has nothing open: it waits for people and agents as long as it takes. Throws `Refused` (`stopped`) at a halt. */
  async result(rootId: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<string> {
    const known = this.#known(rootId);
    return this.#hold.during(() => resultOf(this, this.#store, known, signal));
  }

  /** @internal */
  async promised(rootId: RootId, agent?: DefinedAgent, options?: { readonly signal?: AbortSignal | undefined }): Promise<unknown> {
    if (!agent?.output) return this.result(rootId, options);
    const { agentId } = await this.view(rootId);
    if (agentId !== agent.id)
      throw new Refused({
        code: "bad_request",
        message: `The dialog ${rootId} is ${agentId}'s: what ${agent.id} promises is not to be had there.`,
      });
    return asPromised(agent.output, await this.result(rootId, options));
  }

  /** Agents and tools of whoever opens it again. What stood still for want of them goes on. @internal */
  async adopt(more: { readonly agents: readonly DefinedAgent[]; readonly tools: readonly Tool[] }): Promise<void> {
    if (this.team.adopt(more) && this.#drivesAll) await resumeUnblocked(this.#engine, this.team);
  }

  /** The words with which the main dialog last came to an end; empty when it never has. */
  async lastWords(rootId: string): Promise<string> {
    return readLastWords(this, rootId as RootId, await this.head(rootId));
  }

  async view(where: DialogReference): Promise<DialogView> {
    return seeDialog(this.#engine, await this.at(where));
  }

  /** The last event of a dialog's tree, without all that a view has. */
  async head(where: DialogReference): Promise<number> {
    const { rootId, selfId } = await this.at(where);
    const seq = await this.#look(rootId, (tree: Tree) => (tree.dialogs.has(selfId) ? tree.seq : undefined));
    if (seq === undefined) throw noDialog(selfId);
    return seq;
  }

  /** Newest first. */
  dialogs({ status, after, limit }: PageQuery<Entry["status"]> = {}): readonly Entry[] {
    return this.#store.list({
      ...(status !== undefined && { status }),
      ...(after !== undefined && { after: after as RootId }),
      ...(limit !== undefined && { limit }),
    });
  }

  entry(rootId: string): Entry | undefined {
    return this.#store.entry(rootId as RootId);
  }

  /** Why a tree cannot be read, with file and line and what to do; as far as that is known without reading its whole log. */
  damageOf(rootId: string): string | undefined {
    return this.#engine.damageOf(rootId as RootId);
  }

  #known(rootId: string): RootId {
    if (!this.#store.has(rootId as RootId)) throw noDialog(rootId);
    return rootId as RootId;
  }

  /** How many questions are open. */
  openQuestions(): number {
    return this.#store.openQuestions();
  }

  /** Trees with open questions. */
  asking(): readonly Entry[] {
    return this.#store.asking().flatMap((rootId) => this.#store.entry(rootId) ?? []);
  }

  /** In how many trees somebody is or should be at work. */
  atWork(): number {
    return this.#store.hot().length;
  }

  /** Main and side dialogs that were completed since the project was opened. */
  get dialogsCompleted(): number {
    return this.#engine.dialogsCompleted;
  }

  count(status?: Entry["status"]): number {
    return this.#store.count(status);
  }

  /** Trees that begin or end with these digits. */
  find(digits: string, limit = 6): readonly RootId[] {
    return this.#store.find(digits, limit);
  }

  async events(rootId: string, after = 0, limit?: number): Promise<readonly Line<TreeEvent>[]> {
    return (await this.#store.read(this.#known(rootId), after, limit)) as readonly Line<TreeEvent>[];
  }

  /** The lines of a tree, or of the project's own stream. */
  async lines(stream: StreamId, after: number, limit?: number): Promise<readonly Line[]> {
    return this.#store.read(stream, after, limit);
  }

  /** The events of a tree from `after` on, and then as they come. */
  follow(rootId: string, after: number, signal: AbortSignal): AsyncGenerator<Line<TreeEvent>, void, undefined> {
    return follow(this.#store, this.#known(rootId), after, signal) as AsyncGenerator<Line<TreeEvent>, void, undefined>;
  }

  /** What happened in a dialog's tree, then what happens, and what is said there right now. Gives the way to stop listening. */
  subscribe(rootId: string, listener: TreeListener, options?: Listening): () => void {
    const known = this.#known(rootId);
    const source = {
      follow: this.follow.bind(this),
      onLive: this.onLive.bind(this),
      report: (error: unknown) => this.#engine.deps.report(error, "a listener"),
    };
    return subscribe(source, known, listener, options);
  }

  /** Every commit, in order, once it is durable. Returns the way to stop listening. */
  onCommit(listener: (committed: Committed) => void): () => void {
    return this.#store.watch(listener);
  }

  /** What is said right now. Returns the way to stop listening. */
  onLive(listener: (event: LiveEvent) => void): () => void {
    return this.#engine.live.add(listener);
  }

  /** What a person should know of the settings before they cost anything. */
  notices(): readonly string[] {
    return costNotices(this.team);
  }

  async usage(by: UsageBy): Promise<{ readonly rows: readonly UsageRow[]; readonly unread: readonly RootId[] }> {
    return readUsage(this, by);
  }

  /**
   * Words in titles and texts, newest first; all of them must be there. The index is made beside the work, from the first search
   * on; `isComplete` says whether it has everything that is old. `whole`: wait until it has.
   */
  async search(query: string, options: { readonly limit?: number; readonly whole?: boolean } = {}): Promise<SearchResult> {
    return findWords(this.indexWords(), (rootId) => this.entry(rootId), query, options);
  }

  /** Begins with the index, if nobody has: a server does it at once, so that the first search is quick. */
  indexWords(): SearchIndex {
    return (this.#search ??= new SearchIndex(this, (error) => this.#engine.deps.report(error, "search")));
  }

  /** What the team and its agents have written down. */
  async memory(): Promise<readonly MemoryDocument[]> {
    return readMemory(this.#engine.deps.documents);
  }

  /** One small real call to a model, by its name in the settings or as `provider/id`. */
  async testModel(name: string, signal: AbortSignal): Promise<ModelTest> {
    await this.team.refresh();
    return testModel(this.team.findModel(name), signal);
  }

  /** A person has looked at the changed programs of an MCP server: they may run. */
  async allowServer(name: string): Promise<void> {
    await this.team.refresh();
    await this.team.allowServer(name);
  }

  /** The settings as they are in force, without anything secret. */
  async settings(): Promise<SettingsView> {
    await this.team.refresh();
    const spentDay = this.spentDay();
    return { ...settingsView(this.team), ...(spentDay && { spentDay }) };
  }

  health(): StoreHealth {
    return this.#store.health();
  }

  /** Makes the files for people again from the log. They are written by the time the project is closed. */
  async rewriteFiles(rootId: RootId): Promise<void> {
    await this.#engine.rewriteFiles(rootId);
  }

  /** What must be let go of before the project closes. */
  onClose(letGo: () => Promise<void> | void): void {
    this.#letGo.push(letGo);
  }

  async close(): Promise<void> {
    this.#onClose();
    this.#hold.release();
    await this.tasks.stop();
    for (const letGo of this.#letGo.splice(0)) await letGo();
    await this.#search?.close();
    await this.#engine.close();
    await this.team.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** What a project is put together from. */
interface ProjectParts {
  readonly dir: string;
  readonly team: ProjectTeam;
  readonly engine: Engine;
  readonly drives: boolean;
  readonly drivesAll: boolean;
  readonly onClose: () => void;
}

const noDialog = (id: string) => new Refused({ code: "not_found", message: `There is no dialog ${id}.` });
