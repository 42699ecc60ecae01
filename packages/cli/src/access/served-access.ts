import { openAsBlob } from "node:fs";
import { type Api, Client, type Commit, Disconnected } from "@colloquy/client";
import {
  byUrgency,
  type LiveEvent,
  type Line,
  type QuestionId,
  readLastWords,
  type RootId,
  type TreeEvent,
  type DialogReference,
} from "@colloquy/library";
import type { DialogRow } from "@colloquy/schema";
import type { DialogEntry, Listening, ProjectAccess, TaskAccess } from "./project-access.ts";
import { refused } from "../line/failure.ts";
import { Retold } from "../dialogs/retold.ts";
import { linesOf, pages } from "./pages.ts";
import type { ServerAddress } from "./server-address.ts";

/** As long as a server may need to be started again: about nine seconds. */
const PATIENCE = { firstPauseMs: 250, maxPauseMs: 1_500, attempts: 9 };
/** How long one request waits for quiet. */
const WITHIN_MS = 25_000;
const PAGE_ROWS = 1_000;

/** A project that a server holds. */
export class ServedAccess implements ProjectAccess {
  readonly dir: string | undefined;
  readonly name: string;
  readonly team: ProjectAccess["team"];
  readonly notices: readonly string[];
  readonly isServed = true;
  readonly url: string;
  /** It connects when somebody listens. */
  readonly #client: Client;
  readonly #listeners = new Set<(event: LiveEvent) => void>();
  readonly #heard = new Set<{ readonly rootId: RootId; readonly heard: Heard }>();

  private constructor(
    address: ServerAddress,
    client: Client,
    dir: string | undefined,
    { name, team, notices }: { name: string; team: ProjectAccess["team"]; notices: readonly string[] },
  ) {
    this.url = address.url;
    this.#client = client;
    this.dir = dir;
    this.name = name;
    this.team = team;
    this.notices = notices;
  }

  /** `dir`: the project's folder, if known here. Throws `Disconnected` if the server doesn't respond. */
  static async open(address: ServerAddress, dir: string | undefined): Promise<ServedAccess> {
    const client = new Client({ ...address, patience: PATIENCE });
    const { api } = client;
    const all = await api.projects();
    const id = await api.projectId();
    const { agents, notices } = await api.settings();
    const name = all.find((one) => one.id === id)?.name ?? id;
    return new ServedAccess(address, client, dir, { name, team: agents.map((agent) => ({ id: agent.id, name: agent.name })), notices });
  }

  close(): void {
    this.#client.close();
  }

  get #api(): Api {
    return this.#client.api;
  }

  readonly tasks: TaskAccess = {
    list: (query) =>
      pages(
        (after) => this.#api.tasks.list({ ...query, ...(after !== undefined && { after }) }),
        ({ tasks }) => tasks,
      ),
    ready: async () => (await this.#api.tasks.ready()).tasks,
    get: (id) => this.#api.tasks.get(id),
    autonomy: (id) => this.#api.tasks.autonomy(id),
    create: ({ by: _, msgId: __, ...given }) => this.#command(this.#client.tasks.create(given)),
    update: (id, change) => this.#command(this.#client.tasks.update(id, { ...change })),
    /** The server assigns ready tasks by itself: this only waits until everything is idle. */
    run: async () => {
      for (let before = ""; ;) {
        const all = await this.tasks.list();
        const now = JSON.stringify(all.map(({ id, status, dialogs }) => [id, status, dialogs]));
        if (now === before) return;
        before = now;
        const busy = all.filter(({ status }) => status === "in_progress").flatMap(({ dialogs }) => dialogs);
        await Promise.all(busy.map((dialog) => this.quiet(dialog).catch(unlessDamaged)));
      }
    },
  };

  createDialog: ProjectAccess["createDialog"] = async ({ content, agent, title, taskDocPath, mentions, images, sessionId }) => {
    const body = {
      content,
      ...(agent !== undefined && { agentId: agent }),
      ...(title !== undefined && { title }),
      ...(taskDocPath !== undefined && { taskDocPath }),
      ...(mentions && { mentions: [...mentions] }),
      ...inBase64(images),
      ...(sessionId !== undefined && { sessionId }),
    };
    const { rootId, seq } = await this.#command(this.#client.dialogs.create({ ...body }));
    return { id: rootId, seq };
  };
  send: ProjectAccess["send"] = (where, { mentions, images, ...message }) => {
    const more = {
      ...(mentions && { mentions: [...mentions] }),
      ...inBase64(images),
    };
    return this.#command(this.#client.dialogs.send(idOf(where), { ...message, ...more }));
  };
  acknowledgements: ProjectAccess["acknowledgements"] = async (where, message) => {
    const { rootId } = await this.view(where);
    const events = (await this.events(rootId, message)).flatMap((line) => line.events);
    return events.flatMap((event) => (event.type === "message.acknowledged" && event.message === message ? [event.text] : []));
  };
  stop: ProjectAccess["stop"] = (where, how) => this.#command(this.#client.dialogs.stop(idOf(where), { ...how }));
  resume: ProjectAccess["resume"] = (where) => this.#command(this.#client.dialogs.resume(idOf(where)));
  done: ProjectAccess["done"] = (where) => this.#command(this.#client.dialogs.done(idOf(where)));
  archive: ProjectAccess["archive"] = (where) => this.#command(this.#client.dialogs.archive(idOf(where)));
  delete: ProjectAccess["delete"] = async (where) => void (await this.#command(this.#client.dialogs.delete(idOf(where))));
  fork: ProjectAccess["fork"] = async (where, { at, answer }) => {
    const { question, content, choice } = answer ?? {};
    const given = question !== undefined && {
      question: question as QuestionId,
      ...(content !== undefined && { content }),
      ...(choice !== undefined && { choice: typeof choice === "object" ? [...choice] : choice }),
    };
    const body = { ...(at !== undefined && { at }), ...(given && { answer: given }) };
    return (await this.#command(this.#client.dialogs.fork(idOf(where), body))).rootId;
  };
  compare: ProjectAccess["compare"] = (one, other) => this.#again(() => this.#api.dialogs.compare(idOf(one), { with: idOf(other) }));
  export: ProjectAccess["export"] = async (where) => {
    const { exportAll, export: exportOne } = this.#api.dialogs;
    return (await this.#command(where === undefined ? exportAll() : exportOne(idOf(where)))) as unknown as AsyncIterable<Uint8Array>;
  };
  backup: ProjectAccess["backup"] = async (query) =>
    (await this.#command(this.#api.backup({ ...query }))) as unknown as AsyncIterable<Uint8Array>;
  import: ProjectAccess["import"] = async (path) => (await this.#command(this.#api.import(await openAsBlob(path)))).dialogs;
  nodes: ProjectAccess["nodes"] = async () => (await this.#command(this.#api.nodes())).nodes;
  undo: ProjectAccess["undo"] = (call) => this.#command(this.#client.dialogs.undo(call));
  dead: ProjectAccess["dead"] = (where) => this.#command(this.#client.dialogs.dead(idOf(where)));
  clearMind: ProjectAccess["clearMind"] = (where, how) => this.#command(this.#client.dialogs.clearMind(idOf(where), { ...how }));
  changeMind: ProjectAccess["changeMind"] = (where, selector, content) =>
    this.#command(this.#client.dialogs.changeMind(idOf(where), { selector, content }));
  phase: ProjectAccess["phase"] = (where, phase, how) => this.#command(this.#client.dialogs.setPhase(idOf(where), { ...how, phase }));
  taskdoc: ProjectAccess["taskdoc"] = async (where) => this.#api.dialogs.taskdoc(idOf(where)) as ReturnType<ProjectAccess["taskdoc"]>;
  remind: ProjectAccess["remind"] = (where, content) => this.#command(this.#client.dialogs.addReminder(idOf(where), { content }));
  changeReminder: ProjectAccess["changeReminder"] = (where, reminder, content) =>
    this.#command(
      content === undefined
        ? this.#client.dialogs.deleteReminder(idOf(where), reminder)
        : this.#client.dialogs.changeReminder(idOf(where), reminder, { content }),
    );

  questions: ProjectAccess["questions"] = async ({ all = false } = {}) => {
    const found = await pages(
      (after) => this.#api.questions.list({ ...(!all && { status: "open" }), ...(after !== undefined && { after }) }),
      ({ questions }) => questions,
    );
    return found.toSorted(byUrgency(Date.now()));
  };
  question: ProjectAccess["question"] = (id) => this.#api.questions.get(id);
  ask: ProjectAccess["ask"] = ({ by: _, signal: __, ...question }) => this.#command(this.#client.questions.ask(question));
  answer: ProjectAccess["answer"] = (id, { content, choice, shown }) =>
    this.#command(
      this.#client.questions.answer(id, {
        ...(content !== undefined && { content }),
        ...(choice !== undefined && { choice: typeof choice === "object" ? [...choice] : choice }),
        ...(shown !== undefined && { shown }),
      }),
    );
  dismiss: ProjectAccess["dismiss"] = (id, how) => this.#command(this.#client.questions.dismiss(id, { ...how }));
  askBack: ProjectAccess["askBack"] = (id, content) => this.#command(this.#client.questions.askBack(id, { content }));
  // A server requires the version that was seen; without one, the current version is used.
  approve: ProjectAccess["approve"] = async (id, { shown, scope, pattern, until, arguments: given } = {}) => {
    const seen = shown ?? (await this.question(id)).shown;
    const how = {
      ...(scope !== undefined && { scope }),
      ...(pattern !== undefined && { pattern }),
      ...(until !== undefined && { until }),
      ...(given !== undefined && { arguments: given }),
    };
    return this.#command(this.#client.questions.approve(id, { ...how, shown: seen }));
  };
  deny: ProjectAccess["deny"] = async (id, { why, shown } = {}) => {
    const seen = shown ?? (await this.question(id)).shown;
    return this.#command(this.#client.questions.deny(id, { ...(why !== undefined && { why }), shown: seen }));
  };
  openNotices: ProjectAccess["openNotices"] = () =>
    pages(
      (after) => this.#api.notifications.list({ status: "open", kind: "notice", ...(after !== undefined && { after }) }),
      ({ notifications }) => notifications,
    );
  dismissNotice: ProjectAccess["dismissNotice"] = async (id) => void (await this.#command(this.#client.notices.dismiss(id)));
  grants: ProjectAccess["grants"] = async () =>
    (await this.#api.grants.list()).grants.map(({ at, until, ...grant }) => ({
      ...grant,
      at: Date.parse(at),
      ...(until !== undefined && { until: Date.parse(until) }),
    })) as unknown as Awaited<ReturnType<ProjectAccess["grants"]>>;
  revokeGrant: ProjectAccess["revokeGrant"] = async (id) => void (await this.#command(this.#client.grants.revoke(id)));
  spentDay: ProjectAccess["spentDay"] = async () => (await this.#api.settings()).spentDay as Awaited<ReturnType<ProjectAccess["spentDay"]>>;

  dialogs: ProjectAccess["dialogs"] = async ({ status } = {}) => {
    const rows = await pages(
      (after) => this.#api.dialogs.list({ ...(status && { status }), ...(after !== undefined && { after }) }),
      ({ dialogs }) => dialogs,
    );
    return rows.map(entryOf);
  };
  entry: ProjectAccess["entry"] = async (rootId) => entryOf(await this.#api.dialogs.row(rootId));
  damageOf: ProjectAccess["damageOf"] = ({ damaged }) => damaged;
  view: ProjectAccess["view"] = (where) => this.#api.dialogs.view(idOf(where));
  tree: ProjectAccess["tree"] = async (rootId) =>
    (await this.#api.dialogs.tree(rootId)) as unknown as Awaited<ReturnType<ProjectAccess["tree"]>>;
  locate: ProjectAccess["locate"] = async (digits, limit) => (await this.#api.questions.matching({ digits, limit })).found;
  lastWords: ProjectAccess["lastWords"] = async (rootId) => readLastWords(this, rootId, (await this.view(rootId)).seq);
  search: ProjectAccess["search"] = async (text, limit) => (await this.#api.search({ q: text, limit })).hits;
  effects: ProjectAccess["effects"] = async (query) => {
    const { effects: items, next } = await this.#api.effects.list(query as Parameters<Api["effects"]["list"]>[0]);
    return { items, ...(next !== undefined && { next }) };
  };
  unsettled: ProjectAccess["unsettled"] = async () => {
    const { effects } = await this.#api.effects.list({ outcome: "unknown" });
    return effects
      .map(({ call, rootId, selfId, agentId, tool, at }) => ({ call, rootId, dialog: selfId, agent: agentId, tool, at }))
      .toReversed();
  };
  settle: ProjectAccess["settle"] = (call, as, note) =>
    this.#command(this.#client.effects.settle(call, { as, ...(note !== undefined && { note }) }));
  usage: ProjectAccess["usage"] = async (by) => (await this.#api.usage({ by })) as Awaited<ReturnType<ProjectAccess["usage"]>>;

  events: ProjectAccess["events"] = async (rootId, after = 0) => {
    const all = await pages(
      (next) => this.#api.dialogs.events(rootId, { after: next === undefined ? after : Number(next), limit: PAGE_ROWS }),
      ({ events }) => events,
    );
    return linesOf(all);
  };

  async *follow(rootId: RootId, after: number, signal: AbortSignal): AsyncGenerator<Line<TreeEvent>, void, undefined> {
    for await (const { events } of this.#client.follow(rootId, after, signal)) yield* linesOf(events);
  }

  onLive(listener: (event: LiveEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  listen(rootId: RootId, after?: number, onLine?: (line: Line<TreeEvent>) => void): Listening {
    const tell = (event: LiveEvent) => {
      for (const listener of this.#listeners) listener(event);
    };
    const heard = new Heard(after ?? 0, tell, onLine);
    const one = { rootId, heard };
    this.#heard.add(one);
    const stop = this.#client.watchTree({ rootId, after }, heard);
    return {
      end: async () => {
        this.#heard.delete(one);
        stop();
      },
    };
  }

  /** The server resumes unfinished work itself. */
  async takeUp(): Promise<void> {}

  /** Also waits until all live text so far has arrived, if somebody listens. */
  async quiet(rootId: RootId): Promise<void> {
    for (;;) {
      const { isQuiet, seq } = await this.#again(() => this.#api.dialogs.quiet(rootId, { within: WITHIN_MS }));
      if (!isQuiet) continue;
      await Promise.all([...this.#heard].filter((one) => one.rootId === rootId).map(({ heard }) => heard.until(seq)));
      return;
    }
  }

  /** It is sent again while the server is being started again, and takes effect once. */
  async #command<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      throw error instanceof Disconnected ? away(error) : error;
    }
  }

  async #again<T>(ask: () => Promise<T>): Promise<T> {
    for (let nth = 1; ; nth++) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof Disconnected)) throw error;
        if (nth === PATIENCE.attempts) throw away(error);
        await new Promise((resolve) => setTimeout(resolve, Math.min(PATIENCE.maxPauseMs, PATIENCE.firstPauseMs * nth)));
      }
    }
  }
}

const away = ({ message }: Disconnected) =>
  refused("unavailable", `${message} What was accepted is safe; look again when the server is back.`);

/** A watched tree: live text, and the text from before the subscription. */
class Heard {
  readonly #retold: Retold;
  readonly #onLine: ((line: Line<TreeEvent>) => void) | undefined;
  #cursor: number;
  #waiting: { readonly seq: number; readonly go: () => void }[] = [];

  constructor(seq: number, tell: (event: LiveEvent) => void, onLine: ((line: Line<TreeEvent>) => void) | undefined) {
    this.#cursor = seq;
    this.#retold = new Retold(tell);
    this.#onLine = onLine;
  }

  commit({ events, seq }: Commit): void {
    for (const recorded of events) this.#retold.recorded(recorded);
    for (const line of linesOf(events)) this.#onLine?.(line);
    this.#reach(seq);
  }

  caughtUp(seq: number): void {
    this.#reach(Math.max(this.#cursor, seq));
  }

  live(event: LiveEvent): void {
    this.#retold.live(event);
  }

  dropped(): void {
    this.#retold.dropped();
  }

  /** Nothing will come, so nobody waits for it. */
  refused(): void {
    this.#reach(Number.POSITIVE_INFINITY);
  }

  until(seq: number): Promise<void> {
    return new Promise((go) => {
      this.#waiting.push({ seq, go });
      this.#reach(this.#cursor);
    });
  }

  #reach(seq: number): void {
    this.#cursor = seq;
    const there = this.#waiting.filter((one) => one.seq <= seq);
    this.#waiting = this.#waiting.filter((one) => one.seq > seq);
    for (const { go } of there) go();
  }
}

const idOf = (where: DialogReference): string => (typeof where === "string" ? where : where.selfId);

function entryOf({ selfId: _, agentId, needsDrive, due, questions, ...row }: DialogRow): DialogEntry {
  return {
    ...row,
    agent: agentId,
    hot: needsDrive,
    ...(questions.length > 0 && { questions }),
    ...(due !== undefined && { due: Date.parse(due) }),
  } as DialogEntry;
}

/** Nobody works in a dialog with an unreadable log. */
function unlessDamaged(error: unknown): void {
  if ((error as { readonly code?: unknown }).code !== "log_corrupt") throw error;
}

const inBase64 = (images: readonly Uint8Array[] | undefined) =>
  images ? { images: images.map((image) => Buffer.from(image).toString("base64")) } : {};
