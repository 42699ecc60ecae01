import { Client, Disconnected, Refused, type TreeStore } from "@colloquy/client";
import { type Question, type Tree, treeSnapshot } from "@colloquy/core";
import type { RootId } from "@colloquy/schema";
import { demand } from "../broken.ts";
import type { Chance } from "./chance.ts";
import { LiveOrder } from "../watches/live-order.ts";
import type { Network } from "./network.ts";
import { ProjectPage } from "../project-page.ts";
import { Life, type Schedule } from "./schedule.ts";
import type { Site } from "./site.ts";
import type { Trace } from "../trace.ts";

export interface PersonWorld {
  readonly schedule: Schedule;
  readonly network: Network;
  readonly sites: readonly Site[];
  readonly trace: Trace;
  readonly agents: readonly string[];
}

/** What somebody wanted and has not been told of yet, or was told. */
interface Wish {
  readonly what: string;
  readonly msgId: string;
  readonly rootId: RootId | undefined;
  outcome: "open" | "accepted" | "refused";
}

/** Refusals that are no answer to the command: it may be asked again. */
const NO_ANSWER: ReadonlySet<string> = new Set(["unavailable", "rate_limited", "internal", "log_full", "log_unavailable"]);

/** Somebody with a page in a browser: impatient, forgetful, and never alone. */
export class Person {
  readonly name: string;
  readonly #world: PersonWorld;
  readonly #chance: Chance;
  readonly #wishes: Wish[] = [];
  readonly #watched = new Map<RootId, { readonly store: TreeStore; readonly stop: () => void }>();
  /** Trees that this person knows of, in each project. */
  readonly #known = new Map<Site, Set<RootId>>();
  #site: Site;
  #page = new Life("nobody");
  #client: Client | undefined;
  #project: ProjectPage | undefined;
  #words = 0;
  readonly #counts = new Map<Site, number>();
  accepted = 0;
  refused = 0;

  constructor(name: string, world: PersonWorld, chance: Chance) {
    this.name = name;
    this.#world = world;
    this.#chance = chance;
    this.#site = world.sites[0] as Site;
    this.open();
  }

  get site(): Site {
    return this.#site;
  }

  get #trees(): Set<RootId> {
    const known = this.#known.get(this.#site) ?? new Set<RootId>();
    this.#known.set(this.#site, known);
    return known;
  }

  get openWishes(): readonly string[] {
    return this.#wishes.filter(({ outcome }) => outcome === "open").map(({ what, msgId }) => `${what} ${msgId}`);
  }

  /** A new page, on one of the projects. What the last one had not heard of is asked for again, under the same names. */
  open(site = this.#chance.pick(this.#world.sites)): void {
    const { schedule, network } = this.#world;
    this.#site = site;
    const page = (this.#page = new Life(this.name));
    const token = this.name;
    this.#client = new Client({
      url: "http://simulated.invalid",
      token,
      projectId: site.id,
      WebSocket: network.socketsOf(page, token),
      fetch: network.fetchOf(page, token),
      clock: { after: (ms, act) => schedule.after(page, ms, act), chance: this.#chance.next },
    });
    const project = (this.#project = new ProjectPage(this.name, site.ledger));
    this.#client.watchProject(
      {},
      {
        begins: (pos) => project.begins(pos),
        event: (event) => {
          project.hear(event);
          if (event.type === "dialog.updated") this.#trees.add(event.dialog.rootId);
        },
      },
    );
  }

  /** The page is closed in the middle of whatever it was at. */
  leave(): void {
    this.#page.isOver = true;
    this.#client?.close();
    this.#watched.clear();
    for (const wish of this.#wishes) if (wish.outcome === "open") wish.outcome = "refused";
  }

  get client(): Client {
    if (!this.#client) throw new Error("no page");
    return this.#client;
  }

  watch(rootId: RootId): Tree {
    const known = this.#watched.get(rootId);
    if (known) return known.store.getSnapshot().tree;
    const store = this.client.tree(rootId);
    const order = new LiveOrder(this.name);
    let seq = 0;
    const unwatch = this.client.watchTree(
      { rootId, after: 0 },
      {
        commit: ({ events, seq: first }) => {
          demand(events[0]?.seq === seq + 1, "SI6", () => `${this.name} got ${events[0]?.seq} of ${rootId} behind ${seq}`);
          const line = this.#site.ledger.lineAt(rootId, seq + 1);
          demand(
            line && JSON.stringify(line.events) === JSON.stringify(events.map(({ event }) => event)),
            "SI6",
            () => `${this.name} got a commit of ${rootId} at ${first} that is not in the log, or not whole`,
          );
          seq += events.length;
        },
        live: (event) => {
          order.hear(event);
        },
        dropped: () => order.forget(),
      },
    );
    const unsubscribe = store.subscribe(() => undefined);
    this.#watched.set(rootId, {
      store,
      stop: () => {
        unwatch();
        unsubscribe();
      },
    });
    return store.getSnapshot().tree;
  }

  unwatch(): void {
    const rootId = this.#chance.pick([...this.#watched.keys()]);
    if (rootId === undefined) return;
    this.#watched.get(rootId)?.stop();
    this.#watched.delete(rootId);
  }

  /** What this page shows is what the log says. */
  demandUpToDate(): void {
    this.#project?.demandUpToDate();
    for (const [rootId, { store }] of this.#watched) {
      const { tree, status, error } = store.getSnapshot();
      const truth = this.#site.ledger.trees.get(rootId);
      const isSame = truth && JSON.stringify(treeSnapshot(tree, 0)) === JSON.stringify(treeSnapshot(truth, 0));
      demand(
        isSame,
        "SI7",
        () => `${this.name}'s page has ${rootId} at ${tree.seq} (${status} ${error?.message ?? ""}), the log is at ${truth?.seq}`,
      );
    }
  }

  /** Whatever comes to mind. */
  act(): void {
    const chance = this.#chance;
    const tree = this.#someTree();
    if (!tree || (this.#trees.size < 3 && chance.is(0.15))) return this.create();
    if (chance.is(0.06)) return this.#workOnTasks();
    if (tree.applied.length > 0 && chance.is(0.3)) return this.#undo(tree);
    const question = chance.pick([...tree.openQuestions.keys()].flatMap((id) => tree.questions.get(id) ?? []));
    if (question && chance.is(0.6)) return this.decide(question, tree.rootId);
    const dialog = chance.pick([...tree.dialogs.values()]);
    const place = { rootId: tree.rootId, selfId: dialog?.id };
    const { client } = this;
    const content = this.#say();
    const mentions = [chance.pick(this.#world.agents), chance.pick(this.#world.agents)];
    const isTree = chance.is(0.5);
    const images = [pictureOf(chance.below(4))];
    chance.weighed<() => void>([
      [
        12,
        () =>
          this.#ask(
            "send",
            tree.rootId,
            (msgId) => client.dialogs.send(place, { content, msgId }),
            (msgId) => client.api.dialogs.send(place.selfId ?? tree.rootId, { content, msgId }),
          ),
      ],
      [1, () => this.#ask("remind", tree.rootId, (msgId) => client.api.dialogs.addReminder(tree.rootId, { content, msgId }))],
      [
        0.5,
        () => this.#ask("update reminder", tree.rootId, (msgId) => client.api.dialogs.changeReminder(tree.rootId, 1, { content, msgId })),
      ],
      [0.5, () => this.#ask("delete reminder", tree.rootId, (msgId) => client.api.dialogs.deleteReminder(tree.rootId, 1, { msgId }))],
      [2, () => this.#ask("send picture", tree.rootId, (msgId) => client.dialogs.send(place, { content, images, msgId }))],
      [1, () => this.#revoke()],
      [1, () => this.#ask("rename", tree.rootId, (msgId) => client.api.dialogs.rename(tree.rootId, { title: content, msgId }))],
      [3, () => this.#ask("send now", tree.rootId, (msgId) => client.dialogs.send(place, { content, now: true, msgId }))],
      [3, () => this.#ask("interrupt", tree.rootId, (msgId) => client.dialogs.send(place, { content, interrupt: true, msgId }))],
      [4, () => this.#ask("mention", tree.rootId, (msgId) => client.dialogs.send(place, { content, mentions, msgId }))],
      [2, () => this.#ask("stop", tree.rootId, (msgId) => client.dialogs.stop(place, { tree: isTree, msgId }))],
      [4, () => this.#ask("resume", tree.rootId, (msgId) => client.dialogs.resume(place, { msgId }))],
      [2, () => this.#ask("clear mind", tree.rootId, (msgId) => client.dialogs.clearMind(place, { msgId }))],
      [1, () => this.#ask("phase", tree.rootId, (msgId) => client.dialogs.setPhase(place, { phase: "plan", msgId }))],
      [1, () => this.#ask("dead", tree.rootId, (msgId) => client.dialogs.dead(place, { msgId }))],
      [1, () => this.#ask("done", tree.rootId, (msgId) => client.dialogs.done(place, { msgId }))],
      [0.3, () => this.#ask("archive", tree.rootId, (msgId) => client.dialogs.archive(place, { msgId }))],
      [3, () => this.#ask("goals", tree.rootId, (msgId) => client.dialogs.changeMind(place, { selector: "goals", content, msgId }))],
      [2, () => this.unwatch()],
    ])();
  }

  /** One of the commands whose changes are applied, whatever became of it since. */
  #undo({ rootId, applied }: Tree): void {
    const one = this.#chance.pick(applied);
    this.#ask(`undo ${one.call.slice(-6)}`, rootId, (msgId) => this.client.api.dialogs.undo(one.call, { msgId }));
  }

  /** What was approved for more than once. */
  #revoke(): void {
    const { api } = this.client;
    this.#ask("revoke", undefined, async (msgId) => {
      const { grants } = await api.grants.list();
      if (grants[0]) await api.grants.revoke(grants[0].id, { msgId });
    });
  }

  #workOnTasks(): void {
    const chance = this.#chance;
    const { api } = this.client;
    const some = () => chance.pick(this.#project?.tasks ?? []);
    const task = chance.is(0.4) ? some() : undefined;
    const title = this.#say();
    const kind = chance.pick(["task", "task", "feedback", "plan", "prd"] as const);
    const key = chance.pick(["one", "two"]);
    const dependsOn = chance.is(0.4) ? [some() ?? ""].filter(Boolean) : [];
    const change = chance.is(0.5) ? { close: "Enough." } : { title };
    if (task === undefined)
      this.#ask("create task", undefined, (msgId) => api.tasks.create({ kind, title, dependsOn, msgId, ...(kind === "prd" && { key }) }));
    else this.#ask("change task", undefined, (msgId) => api.tasks.update(task, { ...change, msgId }));
  }

  create(): void {
    const { client } = this;
    const content = this.#say();
    this.#ask("create", undefined, (msgId) => client.dialogs.create({ content, msgId }).then(({ rootId }) => void this.#trees.add(rootId)));
  }

  /** A question is answered in some way that it knows, or in one that it does not. */
  decide(question: Question, rootId: RootId, isSensible = false): void {
    const chance = this.#chance;
    const { client } = this;
    const { id, kind, options } = question;
    const shown = `${id.slice(-6)}.${question.revision}`;
    // What the system offers can be chosen, whatever language and limits are set by then.
    const answer =
      (said: { content?: string; choice?: number }, isOffered = false) =>
      () =>
        this.#ask(
          `${isOffered ? "answer with an offered choice" : "answer"} ${id.slice(-6)}`,
          rootId,
          (msgId) => client.questions.answer(id, { ...said, msgId }),
          (msgId) => client.api.questions.answer(id, { ...said, msgId }),
        );
    const approve = () => this.#ask(`approve ${id.slice(-6)}`, rootId, (msgId) => client.questions.approve(id, { shown, msgId }));
    const like = { scope: chance.pick(["dialog", "task", "project"] as const), pattern: chance.pick(["ship", "ship(*#m*)", "build", "*"]) };
    const until = chance.is(0.5) ? { until: SOON_MS } : {};
    const approveLike = () =>
      this.#ask(`approve ${id.slice(-6)} and the like`, rootId, (msgId) =>
        client.questions.approve(id, { ...like, ...until, shown, msgId }),
      );
    const changed = { what: this.#say() };
    const approveChanged = () =>
      this.#ask(`approve ${id.slice(-6)} with changes`, rootId, (msgId) =>
        client.questions.approve(id, { arguments: changed, shown, msgId }),
      );
    const deny = () => this.#ask(`deny ${id.slice(-6)}`, rootId, (msgId) => client.questions.deny(id, { shown, why: "No.", msgId }));
    const dismiss = () => this.#ask(`dismiss ${id.slice(-6)}`, rootId, (msgId) => client.questions.dismiss(id, { msgId }));
    const said = this.#say();
    const askBack = () => this.#ask(`ask back ${id.slice(-6)}`, rootId, (msgId) => client.questions.askBack(id, { content: said, msgId }));
    const form = answer({ content: "account: 17" });
    const nth = isSensible ? 0 : chance.below(options.length + 1);
    const choose = () => answer({ choice: nth }, (kind === "limit" || kind === "fault") && nth < options.length)();
    const words = answer({ content: said });
    const sensible = kind === "approval" ? (chance.is(0.5) ? approve : deny) : question.fields ? form : options.length > 0 ? choose : words;
    if (isSensible) return sensible();
    const chosen = chance.weighed<() => void>([
      [8, sensible],
      [1, choose],
      [1, words],
      [1, dismiss],
      [2, askBack],
      [0.5, approve],
      [kind === "approval" ? 3 : 0.2, approveLike],
      [kind === "approval" ? 3 : 0.2, approveChanged],
    ]);
    chosen();
  }

  /** So that everything can come to an end: questions are decided, and what stands still goes on. */
  tidyUp(): boolean {
    let hasMore = false;
    for (const rootId of this.#site.ledger.trees.keys()) {
      const tree = this.watch(rootId);
      for (const id of tree.openQuestions.keys()) {
        const question = tree.questions.get(id);
        hasMore = true;
        if (question) this.decide(question, rootId, true);
      }
      for (const dialog of tree.dialogs.values()) {
        if (!dialog.stopped || dialog.stopped.cause !== undefined || dialog.status !== "running" || dialog.isDead) continue;
        hasMore = true;
        this.#ask("resume", rootId, (msgId) => this.client.dialogs.resume({ rootId, selfId: dialog.id }, { msgId }));
      }
    }
    return hasMore;
  }

  #someTree(): Tree | undefined {
    const rootId = this.#chance.pick([...this.#trees]);
    return rootId && this.watch(rootId);
  }

  #say(): string {
    this.#words += 1;
    return `Please #m${this.name.charCodeAt(0)}${this.#words}#`;
  }

  /** Once, or in haste several times, over whichever way; under one name. */
  #ask(
    what: string,
    rootId: RootId | undefined,
    ask: (msgId: string) => Promise<unknown>,
    otherwise: (msgId: string) => Promise<unknown> = ask,
  ): void {
    const { trace, schedule } = this.#world;
    // Names of commands are each project's own: the same one in two of them is two.
    const count = (this.#counts.get(this.#site) ?? 0) + 1;
    this.#counts.set(this.#site, count);
    const wish: Wish = { what, msgId: `${this.name}-${count}`, rootId, outcome: "open" };
    this.#wishes.push(wish);
    trace.add(schedule.nowMs, `${this.name} wants: ${what} (${wish.msgId})`);
    const page = this.#page;
    const go = (way: (msgId: string) => Promise<unknown>): void =>
      void way(wish.msgId).then(
        () => page.isOver || this.#told(wish, "accepted"),
        (error: unknown) => {
          if (page.isOver || wish.outcome !== "open") return;
          // Nobody knows whether it came through: asked again, under the same name.
          if (error instanceof Disconnected) return void schedule.after(page, 1_000, () => go(way));
          if (!(error instanceof Refused)) throw error;
          if (NO_ANSWER.has(error.code)) wish.outcome = "refused";
          else this.#told(wish, "refused", error.code);
        },
      );
    for (const way of this.#chance.is(0.2) ? [otherwise, ask] : [ask]) go(way);
  }

  #told(wish: Wish, outcome: "accepted" | "refused", why = ""): void {
    const { trace, schedule } = this.#world;
    const { ledger } = this.#site;
    trace.add(schedule.nowMs, `${this.name} is told: ${wish.what} (${wish.msgId}) ${outcome} ${why}`);
    const isFirst = wish.outcome === "open";
    wish.outcome = outcome;
    if (outcome === "accepted") {
      this.accepted += isFirst ? 1 : 0;
      if (LASTING.test(wish.what))
        demand(
          ledger.placeOf(this.name, wish.msgId) !== undefined,
          "SI1",
          () => `${this.name}'s ${wish.what} (${wish.msgId}) was acknowledged and is not in the log`,
        );
    } else {
      this.refused += isFirst ? 1 : 0;
      const isUnoffered = why === "bad_choice" && wish.what.startsWith("answer with an offered choice");
      demand(!isUnoffered, "SI19", () => `${this.name}'s ${wish.what} (${wish.msgId}) was refused: ${why}`);
    }
  }
}

/** Some hours after the beginning of time. */
const SOON_MS = Date.UTC(2026, 0, 1, 2);

/** One of a few small ones. */
const pictureOf = (nth: number): string =>
  Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(40, nth)]).toString("base64");

/** What always leaves something in the log. */
const LASTING = /^(?:create|send|interrupt|mention|answer|approve|deny|dismiss|ask back|goals)/;
