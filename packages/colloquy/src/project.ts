import {
  contextGauge,
  byUrgency,
  type Notice,
  notificationsOf,
  noticeView,
  type ProjectGrant,
  type QuestionChanges,
  questionChanges,
  questionView,
  sayingsIn,
  type Section,
  sectionPath,
  SECTIONS,
  type Tree,
  type TreeNode,
  treeView,
  type Run,
} from "@colloquy/core";
import type { ModelTest } from "@colloquy/models";
import { atWorkIn, changeMind, type Engine, type LiveEvent, type Outcome, readPromised, readSayings } from "@colloquy/runtime";
import {
  AgentId,
  type Command,
  type DialogId,
  type DialogView,
  type Entry,
  type Line,
  mainDialogOf,
  type Notification,
  type SearchHit,
  type Phase,
  type QuestionId,
  type QuestionStatus,
  type QuestionView,
  Refused,
  type RootId,
  type StreamId,
  type TreeEvent,
} from "@colloquy/schema";
import { type Committed, follow, type ListQuery, type Store, type StoreHealth } from "@colloquy/store";
import { readImages } from "./images.ts";
import { costNotices } from "./cost-notices.ts";
import type { DefinedAgent, ResultOf } from "./define-agent.ts";
import { tryModel } from "./describe-models.ts";
import { dialogView } from "./dialog-view.ts";
import type { Environment } from "./environment.ts";
import { type Located, locate, treeWith } from "./locate.ts";
import { type MemoryDocument, readMemory } from "./memory.ts";
import { SearchIndex } from "./search/search-index.ts";
import { type SettingsView, settingsView } from "./settings-view.ts";
import { followQuestions, onAsked, type QuestionSource } from "./question-feed.ts";
import { readUsage, type UsageBy, type UsageRow } from "./usage.ts";
import { readLastWords } from "./last-words.ts";
import { ProjectTasks } from "./project-tasks.ts";
import type { ProjectTeam } from "./project-team.ts";

export interface NewDialog<Agent extends string | DefinedAgent = string | DefinedAgent> {
  readonly content: string;
  /** Who is responsible; absent: whom the message addresses first, else the team's default. */
  readonly agent?: Agent;
  /** Who is addressed, in this order, by id or name; absent: whom `@name` at the text's start names, else the responsible one; none: history only. */
  readonly mentions?: readonly string[];
  readonly title?: string;
  readonly taskDocPath?: string;
  /** A session at the model's provider, to be gone on with. */
  readonly sessionId?: string;
  readonly msgId?: string;
  readonly by?: string;
}

export interface Message {
  readonly content: string;
  /** Who is addressed, in this order, by id or name; absent: whom `@name` at the text's start names, else the dialog's own agent; none: history only. */
  readonly mentions?: readonly string[];
  /** A turn that waits reads it at once, and waits on. */
  readonly now?: boolean;
  /** As `now`, and the model call or tool that is under way is broken off first. */
  readonly interrupt?: boolean;
  /** PNG, JPEG, GIF or WebP, as they are in their files. */
  readonly images?: readonly Uint8Array[];
  readonly sessionId?: string;
  readonly msgId?: string;
  readonly by?: string;
}

/** Who did it, and the sender's own name for it: the same one again has the effect of one. */
export interface Signed {
  readonly by?: string;
  readonly msgId?: string;
}

export interface Receipt {
  readonly seq: number;
  /** What a busy agent is doing, for the one who wrote to it. */
  readonly ack?: string;
}

/** A main dialog by its tree's id, or any dialog of a tree. */
export type Where = RootId | { readonly rootId: RootId; readonly selfId: DialogId };

type Verb = "stop" | "resume" | "done" | "archive" | "dead" | "clear_mind";

export interface AnswerInput extends Signed {
  readonly content?: string;
  /** Labels, or numbers from 0. */
  readonly choice?: readonly (string | number)[];
  readonly shown?: string;
}

export interface ApproveInput extends Signed {
  readonly shown?: string;
  readonly scope?: "once" | "dialog" | "task" | "project";
  readonly pattern?: string;
  readonly until?: number;
  readonly arguments?: unknown;
}

/** A part of a long list. `next`: the place to go on from; absent at the end. */
export interface Page<Item, Place = RootId> {
  readonly items: readonly Item[];
  readonly next?: Place;
}

export interface PageQuery<Status, Place = RootId> {
  readonly status?: Status;
  readonly after?: Place;
  readonly limit?: number;
}

export interface NotificationQuery extends PageQuery<Notification["status"], string> {
  readonly kind?: Notification["kind"];
}

function partOf<Item extends { readonly id: string }>(
  all: readonly Item[],
  after: string | undefined,
  limit: number,
): Page<Item, Item["id"]> {
  const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const items = all.slice(from, from + limit);
  const last = from + limit < all.length ? items.at(-1)?.id : undefined;
  return { items, ...(last !== undefined && { next: last }) };
}

/** Of a long list this many trees are looked at for one page, whatever is found in them. */
const TREES_PER_PAGE = 200;

/** An open project: everything that the command line and a server do goes through here. Refusals are thrown as `Refused`. */
export class Project {
  readonly dir: string;
  readonly team: ProjectTeam;
  readonly tasks: ProjectTasks;
  readonly #engine: Engine;
  readonly #store: Store;
  readonly #env: Environment;
  #search: SearchIndex | undefined;
  readonly #onClose: () => void;
  readonly #letGo: (() => Promise<void> | void)[] = [];

  constructor(dir: string, team: ProjectTeam, engine: Engine, store: Store, env: Environment, onClose: () => void) {
    this.dir = dir;
    this.#env = env;
    this.team = team;
    this.tasks = new ProjectTasks(engine, () => team.taskLimit);
    this.#engine = engine;
    this.#store = store;
    this.#onClose = onClose;
  }

  /** With an agent in code, `result()` gives what that agent promises. */
  async createDialog<const Agent extends string | DefinedAgent = string>(
    options: NewDialog<Agent>,
  ): Promise<DialogHandle<ResultOf<Agent>>> {
    const { content, mentions, title, taskDocPath, sessionId, msgId, by = "owner" } = options;
    const named: string | DefinedAgent | undefined = options.agent;
    const agent = typeof named === "object" ? named.id : named;
    await this.team.refresh();
    const id = agent ?? this.team.defaultAgent();
    if (id === undefined || !this.team.member(id)) {
      const known = this.team.members().map((member) => member.id);
      const message =
        id === undefined
          ? "The team has no agents. Add one to colloquy.yaml."
          : `There is no agent "${id}". The team: ${known.join(", ")}.`;
      throw new Refused({ code: "unknown_agent", message });
    }
    const created = await this.#engine.create(
      {
        content,
        by,
        ...(agent !== undefined && { agent: AgentId.parse(agent) }),
        ...(mentions && { mentions: [...mentions] }),
        ...(sessionId !== undefined && { sessionId }),
        ...(title !== undefined && { title }),
        ...(taskDocPath !== undefined && { taskDocPath }),
        ...(msgId !== undefined && { msgId }),
      },
      AgentId.parse(id),
    );
    if (!created.ok) throw new Refused(created.refusal);
    return new DialogHandle(this, created.rootId, created.seq);
  }

  dialog(rootId: RootId): DialogHandle<string> {
    return new DialogHandle(this, rootId, 0);
  }

  /** What these digits name: a dialog of any depth, or a question. Several where they are not enough. */
  async locate(digits: string, limit = 6): Promise<readonly Located[]> {
    return locate(this.#store, (rootId, see) => this.#engine.look(rootId, ({ state }) => see(state)), digits, limit);
  }

  /** Where the dialog with this whole id is, main or side. */
  async at(id: string): Promise<{ readonly rootId: RootId; readonly selfId: DialogId }> {
    if (this.#store.entry(id as RootId)) return placeOf(id as RootId);
    const rootId = await treeWith(this.#store, this.#look, id, (tree) => tree.dialogs.has(id as DialogId));
    if (rootId === undefined) throw new Refused({ code: "not_found", message: `There is no dialog ${id}.` });
    return { rootId, selfId: id as DialogId };
  }

  readonly #look = <T>(rootId: RootId, see: (tree: Tree) => T) => this.#engine.look(rootId, ({ state }) => see(state));

  async send(where: Where, { content, mentions, now, interrupt, images = [], sessionId, ...signed }: Message): Promise<Receipt> {
    const { rootId, selfId } = placeOf(where);
    const { by = "owner", msgId } = signed;
    const pictures = readImages(images);
    // A picture is there before the message that shows it; nobody can send one to a dialog that is not there.
    if (pictures.length > 0) await this.view(where);
    for (const { image, data } of pictures) await this.#store.putBlob(rootId, image.name, data);
    const outcome = await this.#engine.command(rootId, {
      type: "send",
      dialog: selfId,
      by,
      ...(msgId !== undefined && { msgId }),
      content,
      ...(mentions && { mentions: [...mentions] }),
      ...(pictures.length > 0 && { images: pictures.map(({ image }) => image) }),
      ...(now && { now }),
      ...(interrupt && { interrupt }),
      ...(sessionId !== undefined && { sessionId }),
    });
    if (!outcome.ok) throw new Refused(outcome.refusal);
    // Whoever sends it again is told the same: by then it stands in the log.
    const events = outcome.events.length > 0 ? outcome.events : ((await this.events(rootId, outcome.seq - 1, 1))[0]?.events ?? []);
    const ack = events.flatMap((event) => (event.type === "message.acknowledged" && event.message === outcome.seq ? [event.text] : []));
    return { seq: outcome.seq, ...(ack.length > 0 && { ack: ack.join("\n") }) };
  }

  /** What the sender of a message was told because somebody was busy; where a model writes it, some time after the message. */
  async acknowledgements(where: Where, message: number): Promise<readonly string[]> {
    const lines = await this.events(placeOf(where).rootId, message);
    return lines
      .flatMap(({ events }) => events)
      .flatMap((event) => (event.type === "message.acknowledged" && event.message === message ? [event.text] : []));
  }

  /** What the dialog is at from now on; the same phase with a summary is a hand-off. */
  async phase(
    where: Where,
    phase: Phase,
    { why, summary, ...signed }: Signed & { readonly why?: string; readonly summary?: string } = {},
  ): Promise<Receipt> {
    return this.#toDialog(where, signed, (at) => ({
      type: "set_phase",
      phase,
      ...at,
      ...(why !== undefined && { why }),
      ...(summary !== undefined && { summary }),
    }));
  }

  async rename(where: Where, title: string, signed: Signed = {}): Promise<Receipt> {
    return this.#toDialog(where, signed, (at) => ({ type: "rename", title, ...at }));
  }

  /** `tree`: and whoever works for it, along the assignments. */
  async stop(where: Where, { tree = false, ...signed }: Signed & { readonly tree?: boolean } = {}): Promise<Receipt> {
    return this.#toDialog(where, signed, (at) => ({ type: "stop", ...at, ...(tree && { tree }) }));
  }

  done = (where: Where, signed?: Signed) => this.#verb("done", where, signed);
  archive = (where: Where, signed?: Signed) => this.#verb("archive", where, signed);
  /** A side dialog that will not answer: whoever waits for it is told so. */
  dead = (where: Where, signed?: Signed) => this.#verb("dead", where, signed);

  async clearMind(where: Where, { reminder, ...signed }: Signed & { readonly reminder?: string } = {}): Promise<Receipt> {
    return this.#toDialog(where, signed, (at) => ({ type: "clear_mind", ...at, ...(reminder !== undefined && { reminder }) }));
  }

  /** Replaces one section of the Taskdoc. `shown`: the version that the person saw. */
  async changeMind(
    where: Where,
    selector: "goals" | "constraints" | "progress",
    content: string,
    { by = "owner", msgId, shown }: Signed & { readonly shown?: string } = {},
  ): Promise<Receipt> {
    const { rootId, selfId } = placeOf(where);
    const wish = { dialog: selfId, selector, content, by, ...(msgId !== undefined && { msgId }), ...(shown !== undefined && { shown }) };
    const outcome = await changeMind(this.#engine, rootId, wish);
    if (!outcome.ok) throw new Refused(outcome.refusal);
    return { seq: outcome.seq };
  }

  /** The Taskdoc that the dialog's tree reads, with the version of each section. */
  async taskdoc(where: Where): Promise<{
    readonly path: string;
    readonly sections: Readonly<Partial<Record<Section, { readonly text: string; readonly shown: string }>>>;
  }> {
    const { taskDocPath } = await this.view(where);
    const sections = SECTIONS.flatMap((section) => {
      const document = this.#engine.deps.documents.read(sectionPath(taskDocPath, section));
      return document ? [[section, { text: document.text, shown: document.hash }] as const] : [];
    });
    return { path: taskDocPath, sections: Object.fromEntries(sections) };
  }

  async remind(where: Where, content: string, signed: Signed = {}): Promise<Receipt> {
    return this.#toDialog(where, signed, (at) => ({ type: "add_reminder", content, ...at }));
  }

  async changeReminder(where: Where, reminder: number, content: string | undefined, signed: Signed = {}): Promise<Receipt> {
    return this.#toDialog(where, signed, (at) =>
      content === undefined ? { type: "delete_reminder", reminder, ...at } : { type: "update_reminder", reminder, content, ...at },
    );
  }

  /** Open questions of the whole project: what frees most work first. `follow`: then each new one, until the signal is aborted. */
  questions(options?: { readonly all?: boolean }): Promise<readonly QuestionView[]>;
  questions(options: { readonly follow: true; readonly signal?: AbortSignal }): AsyncGenerator<QuestionView, void, undefined>;
  questions(
    options: { readonly all?: boolean; readonly follow?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<readonly QuestionView[]> | AsyncGenerator<QuestionView, void, undefined> {
    return options.follow
      ? followQuestions(this.#questionSource, options.signal ?? new AbortController().signal)
      : this.#questions(options.all ?? false);
  }

  get #questionSource(): QuestionSource {
    return { store: this.#store, open: () => this.#questions(false), find: (id) => this.question(id) };
  }

  async #questions(all: boolean): Promise<readonly QuestionView[]> {
    const found: QuestionView[] = [];
    const trees = all ? this.#store.list().map((entry) => entry.rootId) : this.#store.asking();
    for (const rootId of trees) {
      const views = await this.#engine.look(rootId, ({ state }) =>
        [...state.questions.values()].filter((one) => all || one.status === "open").map((one) => questionView(state, one)),
      );
      found.push(...(views ?? []));
    }
    return found.toSorted(byUrgency(this.#engine.deps.clock.now()));
  }

  /** Tells of each question when it is asked or put anew. Gives the way to stop listening. */
  on(event: "question", listener: (question: QuestionView) => void): () => void {
    if (event !== "question") throw new Refused({ code: "bad_request", message: `There is no event "${String(event)}". Known: question.` });
    return onAsked(this.#questionSource, (id) => {
      this.question(id)
        .then(listener)
        .catch((error: unknown) => this.#engine.deps.report(error, "a listener"));
    });
  }

  async question(id: QuestionId): Promise<QuestionView> {
    const rootId = await this.#treeOf(id);
    const view = await this.#look(rootId, (tree) => {
      const question = tree.questions.get(id);
      return question && questionView(tree, question);
    });
    if (!view) throw notThere(id);
    return this.#withWords(view);
  }

  /** Questions of any status, those of the newest tree first. */
  async questionPage({ status, ...page }: PageQuery<QuestionStatus> = {}): Promise<Page<QuestionView>> {
    const { items, ...next } = await this.#page(page, (tree) =>
      [...tree.questions.values()]
        .filter((one) => status === undefined || one.status === status)
        .toReversed()
        .map((one) => questionView(tree, one)),
    );
    return { items: await Promise.all(items.map((view) => this.#withWords(view))), ...next };
  }

  /** The questions of one tree, whatever became of them, newest first. */
  async questionsIn(
    rootId: RootId,
    { status, after, limit = 100 }: PageQuery<QuestionStatus, QuestionId> = {},
  ): Promise<Page<QuestionView, QuestionId>> {
    const all = await this.#look(rootId, (tree) =>
      [...tree.questions.values()]
        .filter((one) => status === undefined || one.status === status)
        .toReversed()
        .map((one) => questionView(tree, one)),
    );
    const { items, ...next } = partOf(all ?? [], after, limit);
    return { items: await Promise.all(items.map((view) => this.#withWords(view))), ...next };
  }

  /** What was raised together. Notices, and open ones, are found without looking at other trees. */
  async notifications({ status, kind, after, limit = 100 }: NotificationQuery = {}): Promise<Page<Notification, string>> {
    const wanted = (one: Notification) => (status === undefined || one.status === status) && (kind === undefined || one.kind === kind);
    const pick = (tree: Tree) => notificationsOf(tree).filter(wanted);
    const notices = kind === undefined || kind === "notice" ? this.#engine.allNotices().map(noticeView).filter(wanted).toReversed() : [];
    if (kind === "notice") return partOf(notices, after, limit);
    if (status !== "open") {
      const { items, ...next } = await this.#page({ limit, ...(after !== undefined && { after: after as RootId }) }, pick);
      return { items: after === undefined ? [...notices, ...items] : items, ...next };
    }
    const found = await Promise.all(this.#store.asking().map((rootId) => this.#look(rootId, pick)));
    return { items: [...notices, ...found.flatMap((some) => some ?? [])].toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1)) };
  }

  /** A notice as a notification. */
  noticeNotification(id: string): Notification | undefined {
    const notice = this.#engine.notice(id);
    return notice && noticeView(notice);
  }

  async notification(id: string): Promise<Notification> {
    const notice = this.noticeNotification(id);
    if (notice) return notice;
    const has = (tree: Tree) => notificationsOf(tree).find((one) => one.id === id);
    const rootId = await treeWith(this.#store, this.#look, id, (tree) => has(tree) !== undefined);
    const found = rootId && (await this.#look(rootId, has));
    if (!found) throw new Refused({ code: "not_found", message: `There is no notification ${id}.` });
    return found;
  }

  /** What a commit did to the questions of a tree. */
  async questionChanges(rootId: RootId, line: Line<TreeEvent>): Promise<QuestionChanges | undefined> {
    return this.#look(rootId, (tree) => questionChanges(tree, line));
  }

  async #page<Item>({ after, limit = 100 }: PageQuery<never>, pick: (tree: Tree) => readonly Item[]): Promise<Page<Item>> {
    const items: Item[] = [];
    const trees = this.#store.list({ limit: TREES_PER_PAGE, ...(after !== undefined && { after }) });
    for (const { rootId } of trees) {
      items.push(...((await this.#look(rootId, pick)) ?? []));
      if (items.length >= limit) return { items, next: rootId };
    }
    const last = trees.length === TREES_PER_PAGE ? trees.at(-1)?.rootId : undefined;
    return { items, ...(last !== undefined && { next: last }) };
  }

  /** A closed question's words are in the log only. */
  async #withWords(view: QuestionView): Promise<QuestionView> {
    if (view.status === "open") return view;
    const lines = await this.events(view.dialog.rootId, view.seq - 1, 1);
    const asked = lines.flatMap((line) => line.events).find((event) => event.type === "question.asked" && event.question === view.id);
    return asked?.type === "question.asked" ? { ...view, text: asked.text, options: asked.options ?? [] } : view;
  }

  answer = (id: QuestionId, { content, choice, shown, ...signed }: AnswerInput) =>
    this.#toQuestion(id, signed, (at) => ({
      type: "answer",
      ...at,
      ...(content !== undefined && { content }),
      ...(choice !== undefined && { choice: [...choice] }),
      ...(shown !== undefined && { shown }),
    }));

  dismiss = (id: QuestionId, { why, ...signed }: Signed & { readonly why?: string } = {}) =>
    this.#toQuestion(id, signed, (at) => ({ type: "dismiss", ...at, ...(why !== undefined && { why }) }));

  askBack = (id: QuestionId, content: string, signed: Signed = {}) =>
    this.#toQuestion(id, signed, (at) => ({ type: "ask_back", content, ...at }));

  approve = (id: QuestionId, { by, msgId, ...how }: ApproveInput = {}) =>
    this.#toQuestion(id, { ...(by !== undefined && { by }), ...(msgId !== undefined && { msgId }) }, (at) => ({
      type: "approve",
      ...at,
      ...how,
    }));

  deny = (id: QuestionId, { why, shown, ...signed }: Signed & { readonly why?: string; readonly shown?: string } = {}) =>
    this.#toQuestion(id, signed, (at) => ({
      type: "deny",
      ...at,
      ...(why !== undefined && { why }),
      ...(shown !== undefined && { shown }),
    }));

  /** What was approved for more than once. */
  grants(): readonly ProjectGrant[] {
    return this.#engine.grants();
  }

  async revokeGrant(id: string, { by = "owner", msgId }: Signed = {}): Promise<void> {
    await this.#engine.revokeGrant(id, { by, msgId });
  }

  /** While `limits.costPerDay` is spent: the open question about it, if there is one, and when work goes on by itself. */
  spentDay(): { readonly question?: QuestionId; readonly until: string } | undefined {
    const spent = this.#engine.spentDay();
    return spent && { until: new Date(spent.until).toISOString(), ...(spent.question !== undefined && { question: spent.question }) };
  }

  /** What agents did without asking, because they only have to tell; those that nobody has put away. */
  openNotices(): readonly Notice[] {
    return this.#engine.notices();
  }

  /** Puts a notice away: it has been read. */
  async resolveNotice(id: string, { by = "owner", msgId }: Signed = {}): Promise<void> {
    await this.#engine.resolveNotice(id, { by, msgId });
  }

  /** Who waits for whom. */
  async tree(rootId: RootId): Promise<TreeNode> {
    const node = await this.#engine.look(rootId, ({ state }) => treeView(state));
    if (!node) throw new Refused({ code: "not_found", message: `There is no dialog ${rootId}.` });
    return node;
  }

  /** Lets a stopped dialog go on; one that a crash had interrupted is taken up as well. */
  async resume(where: Where, signed: Signed = {}): Promise<Receipt> {
    const { rootId } = placeOf(where);
    const view = await this.view(where);
    // Somebody whom it waits for may be the one that was left in the middle.
    const isLeft = !view.stopped && (await this.#engine.look(rootId, (tree) => tree.flights.size === 0 && tree.state.ready.size > 0));
    if (isLeft) {
      await this.#engine.takeUp(rootId);
      return { seq: view.seq };
    }
    return this.#verb("resume", where, signed);
  }

  /** Takes up what an earlier process left in the middle of something. */
  async takeUp(rootId?: RootId): Promise<void> {
    await this.#engine.takeUp(rootId);
  }

  /** Resolves when the tree is quiet: no turn may step and none is in flight. False when the signal came first. */
  async quiet(rootId: RootId, signal?: AbortSignal): Promise<boolean> {
    return this.#engine.quiet(rootId, { signal });
  }

  /** The answer, once the main dialog has nothing open: it waits for people and agents as long as it takes. Throws `Refused` (`stopped`) at a halt. */
  async result(rootId: RootId): Promise<string> {
    for (;;) {
      // Listen first: what happens while we look is not missed.
      const changed = this.#nextCommit(rootId);
      await this.quiet(rootId);
      const view = await this.view(rootId);
      if (view.stopped) throw new Refused({ code: "stopped", message: view.stopped.message });
      if (view.state !== "asking" && view.state !== "waiting") return this.lastWords(rootId);
      await changed;
    }
  }

  /** The answer of an agent that promises an object, as that object; of any other, its text. @internal */
  async promised(rootId: RootId): Promise<unknown> {
    const text = await this.result(rootId);
    const output = this.team.member((await this.view(rootId)).agentId)?.output;
    if (!output) return text;
    const read = await readPromised(output.schema, text);
    if (!read.ok) throw new Refused({ code: "bad_request", message: `The answer is not what its agent promises: ${read.problems}` });
    return read.value;
  }

  #nextCommit(rootId: RootId): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#store.watch(({ lines }) => {
        if (!lines.some(({ stream }) => stream === rootId)) return;
        stop();
        resolve();
      });
    });
  }

  /** The words with which the main dialog last came to an end; empty when it never has. */
  async lastWords(rootId: RootId): Promise<string> {
    const { seq } = await this.view(rootId);
    return readLastWords(this, rootId, seq);
  }

  async view(where: Where): Promise<DialogView> {
    const { rootId, selfId } = placeOf(where);
    const seen = await this.#engine.look(rootId, (tree) => {
      const work = atWorkIn(tree);
      const agents = tree.state.dialogs.get(selfId)?.agents ?? [];
      const works = new Map(agents.map((agent) => [agent, work(selfId, agent)]));
      return { state: tree.state, isDriven: tree.flights.size > 0, atWork: (_: DialogId, agent: AgentId) => works.get(agent) };
    });
    const dialog = seen?.state.dialogs.get(selfId);
    const sayings = seen && dialog ? await readSayings(this.#store, rootId, sayingsIn(seen.state, dialog)) : new Map();
    const view = seen && dialogView(seen.state, selfId, seen.isDriven, seen.atWork, sayings, this.#gauge);
    if (!view) throw new Refused({ code: "not_found", message: `There is no dialog ${selfId}.` });
    return view;
  }

  readonly #gauge = (run: Run | undefined, agent: AgentId) => contextGauge(run, this.#engine.windowOf(agent), this.team.context);

  /** The last event of a dialog's tree, without all that a view has. */
  async head(where: Where): Promise<number> {
    const { rootId, selfId } = placeOf(where);
    const seq = await this.#look(rootId, (tree) => (tree.dialogs.has(selfId) ? tree.seq : undefined));
    if (seq === undefined) throw new Refused({ code: "not_found", message: `There is no dialog ${selfId}.` });
    return seq;
  }

  /** Newest first. */
  dialogs(query?: ListQuery): readonly Entry[] {
    return this.#store.list(query);
  }

  entry(rootId: RootId): Entry | undefined {
    return this.#store.entry(rootId);
  }

  /** How many questions are open, in how many trees somebody is or should be at work. */
  openQuestions(): number {
    return this.#store.asking().reduce((sum, rootId) => sum + (this.#store.entry(rootId)?.questions?.length ?? 0), 0);
  }

  /** Trees with open questions. */
  asking(): readonly Entry[] {
    return this.#store.asking().flatMap((rootId) => this.#store.entry(rootId) ?? []);
  }

  atWork(): number {
    return this.#store.hot().length;
  }

  count(status?: Entry["status"]): number {
    return this.#store.count(status);
  }

  /** Trees that begin or end with these digits. */
  find(digits: string, limit = 6): readonly RootId[] {
    return this.#store.find(digits, limit);
  }

  async events(rootId: RootId, after = 0, limit?: number): Promise<readonly Line<TreeEvent>[]> {
    return (await this.#store.read(rootId, after, limit)) as readonly Line<TreeEvent>[];
  }

  /** The lines of a tree, or of the project's own stream. */
  async lines(stream: StreamId, after: number, limit?: number): Promise<readonly Line[]> {
    return this.#store.read(stream, after, limit);
  }

  /** The events of a tree from `after` on, and then as they come. */
  follow(rootId: RootId, after: number, signal: AbortSignal): AsyncGenerator<Line<TreeEvent>, void, undefined> {
    return follow(this.#store, rootId, after, signal) as AsyncGenerator<Line<TreeEvent>, void, undefined>;
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
  async search(
    query: string,
    { limit = 50, whole = false }: { readonly limit?: number; readonly whole?: boolean } = {},
  ): Promise<{ readonly hits: readonly SearchHit[]; readonly isComplete: boolean }> {
    const index = this.indexWords();
    const hits = await index.search(query, limit, whole);
    return {
      hits: hits.map(({ rootId, selfId, seq, at, by, snippet, questionId }) => ({
        rootId: rootId as RootId,
        selfId: selfId as DialogId,
        title: this.#store.entry(rootId as RootId)?.title ?? "",
        at,
        by,
        snippet,
        ...(seq !== undefined && { seq }),
        ...(questionId !== undefined && { questionId: questionId as QuestionId }),
      })),
      isComplete: index.isComplete,
    };
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
    return tryModel(this.dir, this.#env, name, signal);
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
    await this.tasks.stop();
    for (const letGo of this.#letGo.splice(0)) await letGo();
    await this.#search?.close();
    await this.#engine.close();
    await this.team.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #verb(type: Verb, where: Where, signed: Signed = {}): Promise<Receipt> {
    return this.#toDialog(where, signed, (at) => ({ type, ...at }));
  }

  async #toDialog(
    where: Where,
    { by = "owner", msgId }: Signed,
    make: (at: { dialog: DialogId; by: string; msgId?: string }) => Command,
  ): Promise<Receipt> {
    const { rootId, selfId } = placeOf(where);
    return this.#command(rootId, make({ dialog: selfId, by, ...(msgId !== undefined && { msgId }) }));
  }

  async #toQuestion(
    id: QuestionId,
    { by = "owner", msgId }: Signed,
    make: (at: { question: QuestionId; by: string; msgId?: string }) => Command,
  ): Promise<Receipt> {
    return this.#command(await this.#treeOf(id), make({ question: id, by, ...(msgId !== undefined && { msgId }) }));
  }

  async #treeOf(id: QuestionId): Promise<RootId> {
    const rootId = await treeWith(this.#store, this.#look, id, (tree) => tree.questions.has(id));
    if (rootId === undefined) throw notThere(id);
    return rootId;
  }

  async #command(rootId: RootId, command: Command): Promise<Receipt> {
    const outcome: Outcome = await this.#engine.command(rootId, command);
    if (!outcome.ok) throw new Refused(outcome.refusal);
    return { seq: outcome.seq };
  }
}

const placeOf = (where: Where): { readonly rootId: RootId; readonly selfId: DialogId } =>
  typeof where === "string" ? { rootId: where, selfId: mainDialogOf(where) } : where;

const notThere = (id: QuestionId) => new Refused({ code: "question_not_found", message: `There is no question ${id}.` });

/** One dialog of a project. */
export class DialogHandle<Result = string> {
  readonly id: RootId;
  /** Where its last accepted word stands. */
  readonly seq: number;
  readonly #project: Project;

  constructor(project: Project, id: RootId, seq: number) {
    this.#project = project;
    this.id = id;
    this.seq = seq;
  }

  send = (message: Message | string) => this.#project.send(this.id, typeof message === "string" ? { content: message } : message);
  /** The answer, as its agent promises it: once the main dialog has nothing open, however long that takes. */
  result = async (): Promise<Result> => (await this.#project.promised(this.id)) as Result;
  view = () => this.#project.view(this.id);
  stop = (signed?: Signed) => this.#project.stop(this.id, signed);
  resume = (signed?: Signed) => this.#project.resume(this.id, signed);
  done = (signed?: Signed) => this.#project.done(this.id, signed);
  archive = (signed?: Signed) => this.#project.archive(this.id, signed);
}
