import {
  type answers,
  type DialogRow,
  type Comparison,
  type DialogSnapshot,
  type DialogView,
  newMsgId,
  type queries,
  type QuestionView,
  type requests,
  type Route,
  type RouteName,
  ROUTES,
  SESSION_HEADER,
  SIGN_IN_ROUTES,
  type SignInRouteName,
  type TaskAutonomy,
  type TaskView,
  type TreeNode,
  type WireError,
  Refused,
} from "@colloquy/schema";
import type { Fetch } from "./ports.ts";
import { Disconnected } from "./disconnected.ts";

/** The part of a Zod schema whose types are needed here. */
type Schema = { readonly _zod: { readonly input: unknown; readonly output: unknown } };
type Out<Of extends Schema> = Of["_zod"]["output"];
type In<Of extends Schema> = Of["_zod"]["input"];

/** The body of a request. A `msgId` is generated if there is none; pass your own if you may send it again. */
export type Said<Of extends Schema> = Omit<In<Of>, "msgId"> & { readonly msgId?: string | undefined };
type Answer<Name extends keyof typeof answers> = (typeof answers)[Name] extends Schema ? Out<(typeof answers)[Name]> : never;
type Body<Name extends keyof typeof requests> = (typeof requests)[Name] extends Schema ? Said<(typeof requests)[Name]> : never;
/** A query as programs write it: numbers are numbers. */
type Query<Name extends keyof typeof queries> = Partial<Out<(typeof queries)[Name]>>;

export interface ApiOptions {
  /** The server's address, such as `http://127.0.0.1:5740`. */
  readonly url: string;
  /** Not needed in the server's own web app, where a person is signed in. */
  readonly token?: string | undefined;
  /** In the server's own web app: returns the page's current half of the session. */
  readonly session?: (() => string | undefined) | undefined;
  /** Needed only if the server serves several projects. */
  readonly projectId?: string | undefined;
  readonly fetch?: Fetch | undefined;
  /** The prefix before `/projects`, if it isn't the server's `/api`. */
  readonly base?: string | undefined;
  /** Called for each request, such as for a token that changes. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
}

interface Asked {
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: object | undefined;
  readonly file?: Blob | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A `traceparent`: the span that led to the request. */
  readonly trace?: string | undefined;
}

const routes = new Map([...ROUTES, ...SIGN_IN_ROUTES].map((route) => [route.name as string, route]));

/** The HTTP API, one method per route. Each call makes one attempt and throws `Refused`, or `Disconnected` if no answer came. */
export class Api {
  readonly #options: ApiOptions;
  #projectId: Promise<string> | undefined;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  readonly health = () => this.call<Answer<"Health">>("health");
  readonly me = () => this.call<Answer<"Me">>("me");
  /** A token that signs in one browser of the owner, once: `URL/#token=TOKEN`. */
  readonly newLink = () => this.call<Answer<"NewLink">>("newLink");
  /** Replaces the server's own token. The old one becomes invalid. */
  readonly rotateToken = () => this.call<Answer<"NewLink">>("rotateToken");
  /** Browsers that are signed in. */
  readonly sessions = () => this.call<Answer<"SessionList">>("sessions");
  /** The processes that share a project in a database. */
  readonly nodes = () => this.call<Answer<"NodeList">>("nodes");
  readonly projects = () => this.call<Answer<"ProjectRows">>("projects");

  readonly locate = (query: Query<"LocateQuery">) => this.call<Answer<"LocatedView">>("locate", {}, { query });
  readonly search = (query: Query<"SearchQuery">) => this.call<Answer<"SearchView">>("search", {}, { query });

  readonly files = (query: Query<"FilesQuery">) => this.call<Answer<"FileList">>("files", {}, { query });

  readonly dialogs = {
    list: (query?: Query<"DialogsQuery">) => this.call<Answer<"DialogList">>("dialogs", {}, { query }),
    create: (body: Body<"CreateDialog">) => this.call<Answer<"Created">>("createDialog", {}, { body }),
    view: (id: string) => this.call<DialogView>("dialog", { id }),
    rename: (id: string, body: Body<"Rename">) => this.#done("rename", { id }, body),
    /** Its folded tree and newest events. `client.tree(id)` continues from there. */
    snapshot: (id: string, query?: Query<"SnapshotQuery">) => this.call<DialogSnapshot>("snapshot", { id }, { query }),
    /** Its tree as a row in the list. */
    row: (id: string) => this.call<DialogRow>("row", { id }),
    /** Waits up to the given milliseconds until its tree is idle; ask again if it is not. */
    quiet: (id: string, query?: Query<"QuietQuery">, signal?: AbortSignal) =>
      this.call<Answer<"Quiet">>("quiet", { id }, { query, signal }),
    tree: (id: string) => this.call<Out<typeof TreeNode>>("tree", { id }),
    /** One page of events. Use the socket for all of them and for new ones. */
    events: (id: string, query?: Query<"EventsQuery">) => this.call<Answer<"EventList">>("events", { id }, { query }),
    send: (id: string, body: Body<"SendMessage">) => this.#done("send", { id }, body),
    stop: (id: string, body: Body<"Stop"> = {}) => this.#done("stop", { id }, body),
    resume: (id: string, body: Body<"Plain"> = {}) => this.#done("resume", { id }, body),
    done: (id: string, body: Body<"Plain"> = {}) => this.#done("done", { id }, body),
    archive: (id: string, body: Body<"Plain"> = {}) => this.#done("archive", { id }, body),
    delete: (id: string, body: Body<"Plain"> = {}) => this.call<Answer<"Gone">>("deleteDialog", { id }, { body }),
    /** Copies its tree up to an event, stopped; with `answer`, as a what-if that works on. */
    fork: (id: string, body: Body<"Fork"> = {}) => this.call<Answer<"Copied">>("fork", { id }, { body }),
    /** Its tree beside another one. */
    compare: (id: string, query: Query<"CompareQuery">) => this.call<Comparison>("compare", { id }, { query }),
    /** A file of its whole tree, as it comes; `import` takes it. */
    export: (id: string) => this.#file("exportDialog", { id }),
    /** A file of all dialogs as they are at one commit. */
    exportAll: () => this.#file("exportAll"),
    /**
     * Undoes what a command changed, by the id of its call: all of it or nothing. Throws `Refused`: `undo_conflict` if files changed since,
     * `not_undoable` if nothing is stored.
     */
    undo: (cid: string, body: Body<"Plain"> = {}) => this.call<Answer<"Undone">>("undo", { cid }, { body }),
    dead: (id: string, body: Body<"Plain"> = {}) => this.#done("dead", { id }, body),
    clearMind: (id: string, body: Body<"ClearMind"> = {}) => this.#done("clearMind", { id }, body),
    changeMind: (id: string, body: Body<"ChangeMind">) => this.#done("changeMind", { id }, body),
    setPhase: (id: string, body: Body<"SetPhase">) => this.#done("phase", { id }, body),
    taskdoc: (id: string) => this.call<Answer<"TaskdocView">>("taskdoc", { id }),
    reminders: (id: string) => this.call<Answer<"ReminderList">>("reminders", { id }),
    addReminder: (id: string, body: Body<"AddReminder">) => this.#done("addReminder", { id }, body),
    changeReminder: (id: string, rid: number, body: Body<"UpdateReminder">) => this.#done("updateReminder", { id, rid }, body),
    deleteReminder: (id: string, rid: number, body: Body<"Plain"> = {}) => this.#done("deleteReminder", { id, rid }, body),
    /** The address of an image. A browser can show it; a program fetches it with its token. */
    image: async (id: string, name: string): Promise<string> => {
      const parts = ["projects", await this.projectId(), "dialogs", id, "images", name].map(encodeURIComponent);
      return `${this.#base}/${parts.join("/")}`;
    },
  };

  readonly questions = {
    list: (query?: Query<"QuestionsQuery">) => this.call<Answer<"QuestionList">>("questions", {}, { query }),
    get: (qid: string) => this.call<QuestionView>("question", { qid }),
    /** Open questions whose id has these digits. */
    matching: (query: Pick<Query<"MatchingQuery">, "limit"> & { readonly digits: string }) =>
      this.call<Answer<"MatchingList">>("matching", {}, { query }),
    /** A question of a program that is no agent of the team. */
    ask: (body: Body<"AskPeople">) => this.call<Answer<"AskedPeople">>("askPeople", {}, { body }),
    answer: (qid: string, body: Body<"Answering">) => this.#done("answer", { qid }, body),
    dismiss: (qid: string, body: Body<"Dismissing"> = {}) => this.#done("dismiss", { qid }, body),
    askBack: (qid: string, body: Body<"AskingBack">) => this.#done("askBack", { qid }, body),
    approve: (qid: string, body: Body<"Approving">) => this.#done("approve", { qid }, body),
    deny: (qid: string, body: Body<"Denying">) => this.#done("deny", { qid }, body),
  };

  readonly notifications = {
    list: (query?: Query<"NotificationsQuery">) => this.call<Answer<"NotificationList">>("notifications", {}, { query }),
    update: (nid: string, body: requests.NotificationPatch) =>
      this.call<Answer<"NotificationOutcome">>("patchNotification", { nid }, { body }),
  };

  readonly tasks = {
    list: (query?: Query<"TasksQuery">) => this.call<Answer<"TaskList">>("tasks", {}, { query }),
    ready: () => this.call<Answer<"TaskList">>("readyTasks"),
    get: (tid: string) => this.call<TaskView>("task", { tid }),
    autonomy: (tid: string) => this.call<TaskAutonomy>("taskAutonomy", { tid }),
    create: (body: Body<"CreateTask">) => this.call<TaskView>("createTask", {}, { body }),
    update: (tid: string, body: Body<"ChangeTask">) => this.call<TaskView>("changeTask", { tid }, { body }),
  };

  readonly grants = {
    list: () => this.call<Answer<"GrantList">>("grants"),
    revoke: (gid: string, body: Body<"Plain"> = {}) => this.call<Answer<"Gone">>("revokeGrant", { gid }, { body }),
  };

  readonly effects = {
    /** What the team has done, newest first. */
    list: (query?: Query<"EffectsQuery">) => this.call<Answer<"EffectList">>("effects", {}, { query }),
    /** Says how a call with an unknown outcome ended. */
    settle: (cid: string, body: Body<"Settling">) => this.#done("settle", { cid }, body),
  };

  /** What was committed after `after`: a part of a backup, as it comes. */
  readonly backup = (query: Query<"BackupQuery"> = {}) => this.#file("backup", {}, query);
  /** Makes the dialogs of an exported file, all or none. Sending it again with the same `msgId` has no further effect. */
  readonly import = (file: Blob, query: Query<"ImportQuery"> = {}) =>
    this.call<Answer<"ImportedList">>("importDialogs", {}, { query: { msgId: newMsgId(), ...query }, file });
  readonly settings = () => this.call<Answer<"SettingsView">>("settings");
  readonly testModel = (name: string, signal?: AbortSignal) => this.call<Answer<"ModelTestView">>("testModel", { name }, { signal });
  readonly allowServer = (name: string) => this.call<Answer<"Gone">>("allowServer", { name }, { body: {} });
  readonly memory = () => this.call<Answer<"MemoryView">>("memory");
  readonly usage = (query?: Query<"UsageQuery">) => this.call<Answer<"UsageView">>("usage", {}, { query });

  /** The named project, or the only one. */
  projectId(): Promise<string> {
    if (this.#options.projectId !== undefined) return Promise.resolve(this.#options.projectId);
    this.#projectId ??= this.projects().then((all) => {
      const [only, ...others] = all;
      if (only && others.length === 0) return only.id;
      const message = only ? `Several projects are served; say which one: ${all.map(({ id }) => id).join(", ")}.` : "No project is served.";
      throw new Refused({ code: only ? "bad_request" : "not_found", message });
    });
    // A failed lookup is not cached.
    this.#projectId.catch(() => (this.#projectId = undefined));
    return this.#projectId;
  }

  /** Any route by its name. */
  async call<T>(
    name: RouteName | SignInRouteName,
    params: Readonly<Record<string, string | number>> = {},
    { query, body, file, ...how }: Asked = {},
  ): Promise<T> {
    const { route, path } = await this.#addressOf(name, params, query);
    const said = route.body ? { ...body, msgId: (body as { msgId?: string } | undefined)?.msgId ?? newMsgId() } : undefined;
    const answer = await this.#fetch(route, path, { ...how, ...(said && { body: said }), ...(file && { file }) });
    return (await answered(answer, this.#base)) as T;
  }

  async #addressOf(name: string, params: Readonly<Record<string, string | number>>, query?: Asked["query"]) {
    const route = routes.get(name);
    if (!route) throw new Refused({ code: "not_found", message: `There is no route "${name}".` });
    const all = route.path.includes(":pid") ? { pid: await this.projectId(), ...params } : params;
    const path = route.path.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(String((all as Record<string, unknown>)[key])));
    const asked = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(asked.map(([key, value]): [string, string] => [key, String(value)])).toString();
    return { route, path: search === "" ? path : `${path}?${search}` };
  }

  /** The answer's bytes as they come. */
  async #file(
    name: RouteName,
    params: Readonly<Record<string, string | number>> = {},
    query?: Asked["query"],
  ): Promise<ReadableStream<Uint8Array>> {
    const { route, path } = await this.#addressOf(name, params, query);
    const answer = await this.#fetch(route, path, {});
    if (answer.status < 400 && answer.body) return answer.body;
    await answered(answer, this.#base);
    throw new Disconnected("The answer has no body.");
  }

  #done(name: RouteName, params: Readonly<Record<string, string | number>>, body: object): Promise<Answer<"Done">> {
    return this.call(name, params, { body });
  }

  get #base(): string {
    return (this.#options.base ?? `${this.#options.url.replace(/\/+$/, "")}/api`).replace(/\/+$/, "");
  }

  async #fetch({ method, takes }: Route, path: string, { body, file, signal, trace }: Asked): Promise<Fetched> {
    const { url, token, session, headers } = this.#options;
    const page = session?.();
    const ask: Fetch = this.#options.fetch ?? ((...given) => fetch(...given));
    try {
      return await ask(this.#base + path, {
        method,
        headers: {
          ...headers?.(),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(page !== undefined && { [SESSION_HEADER]: page }),
          ...(body && { "content-type": "application/json" }),
          ...(file && takes && { "content-type": takes }),
          ...(trace !== undefined && { traceparent: trace }),
        },
        ...(body && { body: JSON.stringify(body) }),
        ...(file && { body: file }),
        ...(signal && { signal }),
      });
    } catch (error) {
      throw new Disconnected(`No answer from ${url}.`, { cause: error });
    }
  }
}

type Fetched = Awaited<ReturnType<Fetch>>;

async function answered(answer: Fetched, url: string): Promise<unknown> {
  const text = await answer.text().catch((error: unknown) => {
    throw new Disconnected(`No answer from ${url}.`, { cause: error });
  });
  const told = parsed(text);
  if (told !== undefined && answer.status < 400) return told;
  const refusal = (told as WireError | undefined)?.error;
  if (!refusal) throw new Disconnected(`${url} answered with ${answer.status}, which is no answer of Colloquy.`);
  const seconds = Number(answer.headers.get("retry-after") ?? Number.NaN);
  throw new Refused({ ...refusal, ...(!Number.isNaN(seconds) && { retryAfterMs: seconds * 1_000 }) });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // an error page of some proxy
  }
}
