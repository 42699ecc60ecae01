import { type Actions, type Client, Disconnected, Refused } from "@colloquy/client";
import type { Question, Tree } from "@colloquy/core";
import type { RootId } from "@colloquy/schema";
import { demand } from "../broken.ts";
import type { Chance } from "./chance.ts";
import type { Network } from "./network.ts";
import { packetOver } from "./packet-over.ts";
import { BrowserStorage, Page } from "./page.ts";
import type { Schedule } from "./schedule.ts";
import type { Site } from "./site.ts";
import type { Trace } from "../trace.ts";

export interface PersonWorld {
  readonly schedule: Schedule;
  readonly network: Network;
  readonly sites: readonly Site[];
  readonly trace: Trace;
  readonly agents: readonly string[];
}

/** A command that somebody gave, with its answer once there is one. */
interface Wish {
  readonly what: string;
  readonly msgId: string;
  readonly site: Site;
  outcome: "open" | "accepted" | "refused";
}

/** Refusals that leave the command undecided: it may be sent again. */
const NO_ANSWER: ReadonlySet<string> = new Set(["unavailable", "rate_limited", "internal", "log_full", "log_unavailable"]);

/** Somebody with a page in a browser: impatient, forgetful, and never alone. */
export class Person {
  readonly name: string;
  readonly #world: PersonWorld;
  readonly #chance: Chance;
  readonly #wishes: Wish[] = [];
  readonly storage = new BrowserStorage();
  #site: Site;
  #page: Page;
  #words = 0;
  readonly #counts = new Map<Site, number>();
  accepted = 0;
  refused = 0;

  constructor(name: string, world: PersonWorld, chance: Chance) {
    this.name = name;
    this.#world = world;
    this.#chance = chance;
    this.#site = chance.pick(world.sites);
    this.#page = this.#open();
  }

  get site(): Site {
    return this.#site;
  }

  get openWishes(): readonly string[] {
    return this.#wishes.filter(({ outcome }) => outcome === "open").map(({ what, msgId }) => `${what} ${msgId}`);
  }

  get client(): Client {
    return this.#page.client;
  }

  /** Closes the page in the middle of its work and opens another one, which sends the last one's unanswered commands. */
  reload(site = this.#chance.pick(this.#world.sites)): void {
    this.#page.close();
    this.#site = site;
    this.#page = this.#open();
  }

  watch(rootId: RootId): Tree {
    return this.#page.watch(rootId);
  }

  /** What this page shows is what the log says, and no command was lost. */
  demandUpToDate(): void {
    this.#page.demandUpToDate();
    const [lost] = this.openWishes;
    demand(lost === undefined, "SI24", () => `${this.name} never got an answer to ${lost}`);
    demand(this.storage.length === 0, "SI24", () => `${this.name}'s browser still keeps ${this.storage.key(0)}`);
  }

  #open(): Page {
    const { schedule, network } = this.#world;
    return new Page(this.name, this.#site, {
      schedule,
      network,
      chance: this.#chance,
      storage: this.storage,
      answered: (projectId, msgId, refusal) => this.#answered(projectId, msgId, refusal),
    });
  }

  get #actions(): Actions {
    return this.client.actionsIn(this.#site.id);
  }

  /** A random action. */
  act(): void {
    const chance = this.#chance;
    const tree = this.#someTree();
    if (!tree || (this.#page.trees.length < 3 && chance.is(0.15))) return this.create();
    if (chance.is(0.06)) return this.#workOnTasks();
    if (tree.applied.length > 0 && chance.is(0.3)) return this.#undo(tree);
    const question = chance.pick([...tree.openQuestions.keys()].flatMap((id) => tree.questions.get(id) ?? []));
    if (question && chance.is(0.6)) return this.decide(question);
    const dialog = chance.pick([...tree.dialogs.values()]);
    const place = { rootId: tree.rootId, selfId: dialog?.id };
    if (dialog && chance.is(0.1)) this.#page.watchSide(dialog.id);
    const { dialogs } = this.#actions;
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
            (msgId) => dialogs.send(place, { content, msgId }),
            (msgId) => this.#packet({ type: "drive_dlg_by_user_msg", dialog: place, content, msgId }),
          ),
      ],
      [1, () => this.#ask("remind", (msgId) => dialogs.addReminder(tree.rootId, { content, msgId }))],
      [0.5, () => this.#ask("update reminder", (msgId) => dialogs.changeReminder(tree.rootId, 1, { content, msgId }))],
      [0.5, () => this.#ask("delete reminder", (msgId) => dialogs.deleteReminder(tree.rootId, 1, { msgId }))],
      [2, () => this.#ask("send picture", (msgId) => dialogs.send(place, { content, images, msgId }))],
      [1, () => this.#revoke()],
      [1, () => this.#ask("rename", (msgId) => dialogs.rename(tree.rootId, { title: content, msgId }))],
      [3, () => this.#ask("send now", (msgId) => dialogs.send(place, { content, now: true, msgId }))],
      [3, () => this.#ask("interrupt", (msgId) => dialogs.send(place, { content, interrupt: true, msgId }))],
      [4, () => this.#ask("mention", (msgId) => dialogs.send(place, { content, mentions, msgId }))],
      [2, () => this.#ask("stop", (msgId) => dialogs.stop(place, { tree: isTree, msgId }))],
      [4, () => this.#ask("resume", (msgId) => dialogs.resume(place, { msgId }))],
      [2, () => this.#ask("clear mind", (msgId) => dialogs.clearMind(place, { msgId }))],
      [1, () => this.#ask("phase", (msgId) => dialogs.setPhase(place, { phase: "plan", msgId }))],
      [1, () => this.#ask("dead", (msgId) => dialogs.dead(place, { msgId }))],
      [1, () => this.#ask("done", (msgId) => dialogs.done(place, { msgId }))],
      [0.3, () => this.#ask("archive", (msgId) => dialogs.archive(place, { msgId }))],
      [3, () => this.#ask("goals", (msgId) => dialogs.changeMind(place, { selector: "goals", content, msgId }))],
      [2, () => this.#page.unwatch(chance)],
    ])();
  }

  /** A command that was applied at some time, perhaps already undone. */
  #undo({ applied }: Tree): void {
    const one = this.#chance.pick(applied);
    this.#ask(`undo ${one.call.slice(-6)}`, (msgId) => this.#actions.dialogs.undo(one.call, { msgId }));
  }

  /** Standing approvals. */
  #revoke(): void {
    const actions = this.#actions;
    void this.client.api.grants.list().then(
      ({ grants: [first] }) => first && this.#ask("revoke", (msgId) => actions.grants.revoke(first.id, { msgId })),
      () => undefined,
    );
  }

  #workOnTasks(): void {
    const chance = this.#chance;
    const { tasks } = this.#actions;
    const some = () => chance.pick(this.#page.tasks);
    const task = chance.is(0.4) ? some() : undefined;
    const title = this.#say();
    const kind = chance.pick(["task", "task", "feedback", "plan", "prd"] as const);
    const key = chance.pick(["one", "two"]);
    const dependsOn = chance.is(0.4) ? [some() ?? ""].filter(Boolean) : [];
    const change = chance.is(0.5) ? { close: "Enough." } : { title };
    if (task === undefined)
      this.#ask("create task", (msgId) => tasks.create({ kind, title, dependsOn, msgId, ...(kind === "prd" && { key }) }));
    else this.#ask("change task", (msgId) => tasks.update(task, { ...change, msgId }));
  }

  create(): void {
    const content = this.#say();
    if (this.#chance.is(0.15)) return this.#askAsProgram(content);
    this.#ask("create", (msgId) => this.#actions.dialogs.create({ content, msgId }));
  }

  /** A script of this person's asks people. */
  #askAsProgram(headline: string): void {
    const chance = this.#chance;
    const options = chance.is(0.7) ? ["Yes", "No"] : [];
    const deadline = chance.is(0.3) ? { deadline: chance.pick(["30s", "2h", "3d"]) } : {};
    const asking = { headline, options, program: `${this.name}.sh`, ...deadline };
    this.#ask("ask people", (msgId) => this.#actions.questions.ask({ ...asking, msgId }));
  }

  /** Answers a question in a valid way, or in an invalid one. */
  decide(question: Question, isSensible = false): void {
    const chance = this.#chance;
    const { questions } = this.#actions;
    const { id, kind, options } = question;
    const shown = `${id.slice(-6)}.${question.revision}`;
    // A choice that the system offers stays valid under any later language and limits.
    const answer =
      (said: { content?: string; choice?: number }, isOffered = false) =>
      () =>
        this.#ask(
          `${isOffered ? "answer with an offered choice" : "answer"} ${id.slice(-6)}`,
          (msgId) => questions.answer(id, { ...said, msgId }),
          (msgId) => this.client.api.questions.answer(id, { ...said, msgId }),
        );
    const approve = () => this.#ask(`approve ${id.slice(-6)}`, (msgId) => questions.approve(id, { shown, msgId }));
    const like = { scope: chance.pick(["dialog", "task", "project"] as const), pattern: chance.pick(["ship", "ship(*#m*)", "build", "*"]) };
    const until = chance.is(0.5) ? { until: SOON_MS } : {};
    const approveLike = () =>
      this.#ask(`approve ${id.slice(-6)} and the like`, (msgId) => questions.approve(id, { ...like, ...until, shown, msgId }));
    const changed = { what: this.#say() };
    const approveChanged = () =>
      this.#ask(`approve ${id.slice(-6)} with changes`, (msgId) => questions.approve(id, { arguments: changed, shown, msgId }));
    const deny = () => this.#ask(`deny ${id.slice(-6)}`, (msgId) => questions.deny(id, { shown, why: "No.", msgId }));
    const dismiss = () => this.#ask(`dismiss ${id.slice(-6)}`, (msgId) => questions.dismiss(id, { msgId }));
    const said = this.#say();
    const askBack = () => this.#ask(`ask back ${id.slice(-6)}`, (msgId) => questions.askBack(id, { content: said, msgId }));
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

  /** Decides open questions and resumes stopped dialogs, so that everything can become idle. */
  tidyUp(): boolean {
    let hasMore = false;
    for (const rootId of this.#site.ledger.trees.keys()) {
      const tree = this.watch(rootId);
      for (const id of tree.openQuestions.keys()) {
        const question = tree.questions.get(id);
        hasMore = true;
        if (question) this.decide(question, true);
      }
      for (const dialog of tree.dialogs.values()) {
        if (!dialog.stopped || dialog.stopped.cause !== undefined || dialog.status !== "running" || dialog.isDead) continue;
        hasMore = true;
        this.#ask("resume", (msgId) => this.#actions.dialogs.resume({ rootId, selfId: dialog.id }, { msgId }));
      }
    }
    return hasMore;
  }

  #someTree(): Tree | undefined {
    const rootId = this.#chance.pick(this.#page.trees);
    return rootId && this.watch(rootId);
  }

  #say(): string {
    this.#words += 1;
    return `Please #m${this.name.charCodeAt(0)}${this.#words}#`;
  }

  /** Sends a command once, or several times in haste, over any transport, under one `msgId`. */
  #ask(what: string, ask: (msgId: string) => Promise<unknown>, otherwise: (msgId: string) => Promise<unknown> = ask): void {
    const { trace, schedule } = this.#world;
    // A `msgId` belongs to its project: the same one in two projects is two commands.
    const count = (this.#counts.get(this.#site) ?? 0) + 1;
    this.#counts.set(this.#site, count);
    const wish: Wish = { what, msgId: `${this.name}-${count}`, site: this.#site, outcome: "open" };
    this.#wishes.push(wish);
    trace.add(schedule.nowMs, `${this.name} wants: ${what} (${wish.msgId})`);
    const { life } = this.#page;
    const go = (way: (msgId: string) => Promise<unknown>): void =>
      void way(wish.msgId).then(
        () => life.isOver || this.#told(wish, "accepted"),
        (error: unknown) => {
          // A closed page gets no answer; the next one sends the command again.
          if (life.isOver || wish.outcome !== "open" || error instanceof Disconnected) return;
          if (!(error instanceof Refused)) throw error;
          if (NO_ANSWER.has(error.code)) wish.outcome = "refused";
          else this.#told(wish, "refused", error.code);
        },
      );
    for (const way of this.#chance.is(0.2) ? [otherwise, ask] : [ask]) go(way);
  }

  /** Over a socket of its own, as other programs do; once. */
  #packet(packet: object): Promise<unknown> {
    const { network } = this.#world;
    return packetOver(network.socketsOf(this.#page.life, this.name), packet);
  }

  /** An answer arrived, perhaps at a later page than the one that sent the command. */
  #answered(projectId: string, msgId: string, refusal: string | undefined): void {
    const wish = this.#wishes.findLast((one) => one.msgId === msgId && one.site.id === projectId);
    if (!wish || wish.outcome !== "open" || (refusal !== undefined && NO_ANSWER.has(refusal))) return;
    this.#told(wish, refusal === undefined ? "accepted" : "refused", refusal);
  }

  #told(wish: Wish, outcome: "accepted" | "refused", why = ""): void {
    if (wish.outcome !== "open") return;
    const { trace, schedule } = this.#world;
    trace.add(schedule.nowMs, `${this.name} is told: ${wish.what} (${wish.msgId}) ${outcome} ${why}`);
    wish.outcome = outcome;
    if (outcome === "accepted") {
      this.accepted += 1;
      if (LASTING.test(wish.what))
        demand(
          wish.site.ledger.placeOf(this.name, wish.msgId) !== undefined,
          "SI1",
          () => `${this.name}'s ${wish.what} (${wish.msgId}) was acknowledged and is not in the log`,
        );
    } else {
      this.refused += 1;
      const isUnoffered = why === "bad_choice" && wish.what.startsWith("answer with an offered choice");
      demand(!isUnoffered, "SI19", () => `${this.name}'s ${wish.what} (${wish.msgId}) was refused: ${why}`);
    }
  }
}

/** A time a few hours after the start of the story. */
const SOON_MS = Date.UTC(2026, 0, 1, 2);

/** One of a few small pictures. */
const pictureOf = (nth: number): string =>
  Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(40, nth)]).toString("base64");

/** Commands that always leave an event in the log. */
const LASTING = /^(?:create|ask people|send|interrupt|mention|answer|approve|deny|dismiss|ask back|goals)/;
