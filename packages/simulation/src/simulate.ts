import { entryOf } from "@colloquy/core";
import { Fault } from "@colloquy/schema";
import { Broken, demand } from "./broken.ts";
import { Chance } from "./world/chance.ts";
import { runErrand } from "./world/errand.ts";
import { demandLocalDamage } from "./damage.ts";
import { SimulatedDisk, type Troubles } from "./world/disk.ts";
import { Network } from "./world/network.ts";
import { Outside } from "./world/outside.ts";
import { Person } from "./world/person.ts";
import { AGENTS, Process, type ProcessWorld, storeOptions } from "./world/process.ts";
import { Reader } from "./reader.ts";
import { demandFiles, demandTasks, type Files, filesOf, restlessOf } from "./rest.ts";
import { Life, Schedule } from "./world/schedule.ts";
import { Site } from "./world/site.ts";
import { Trace } from "./trace.ts";
import { forbidUnscheduled } from "./world/unscheduled.ts";

export interface Result {
  readonly seed: number;
  /** A digest of everything that happened: the same for the same seed. */
  readonly hash: number;
  readonly failure: Error | undefined;
  /** The last events. */
  readonly trace: readonly string[];
  readonly counts: Readonly<
    Record<"steps" | "commits" | "trees" | "models" | "effects" | "documents" | "tasks" | "accepted" | "refused" | "lives" | "days", number>
  >;
}

export interface Options {
  /** Breaks something on purpose, to test that it is noticed. */
  readonly sabotage?: (simulation: Simulation) => void;
}

/** Plays the story of one seed. */
export async function simulate(seed: number, options: Options = {}): Promise<Result> {
  const back = forbidUnscheduled();
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 4; // refusals are frequent, and their stacks are rarely needed
  Broken.first = undefined;
  const simulation = new Simulation(seed, options);
  let failure: Error | undefined;
  try {
    await simulation.tell();
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  } finally {
    simulation.schedule.end();
    back();
    Error.stackTraceLimit = stackTraceLimit;
  }
  return {
    seed,
    hash: simulation.trace.hash,
    failure: Broken.first ?? failure,
    trace: simulation.trace.lines,
    counts: simulation.counts(),
  };
}

/** Pages that only poll for a connection take some tens of thousands in a day. */
const MAX_STEPS = 300_000;

export class Simulation {
  readonly trace = new Trace();
  readonly schedule = new Schedule();
  readonly chance: Chance;
  readonly disk: SimulatedDisk;
  readonly network: Network;
  readonly sites: readonly Site[];
  readonly outside: Outside;
  readonly world: ProcessWorld;
  readonly people: readonly Person[];
  readonly readers: readonly Reader[];
  process: Process | undefined;
  #life = new Life("nobody");
  #pid = 100;
  #isPowerCut = false;

  constructor(seed: number, { sabotage }: Options) {
    const { schedule, trace } = this;
    const chance = (this.chance = new Chance(seed));
    this.disk = new SimulatedDisk(schedule, chance.fork());
    this.network = new Network(schedule, chance.fork());
    this.outside = new Outside(schedule, chance.fork(), trace);
    const agents = AGENTS.map(({ id }) => id);
    const models = {
      schedule,
      chance: chance.fork(),
      trace,
      agents,
      contextWindow: chance.pick([3_000, 20_000, 100_000]),
      adventures: 20 + chance.below(60),
      words: 0,
    };
    const { disk, network, outside } = this;
    const ids = chance.is(0.3) ? ["project", "other"] : ["project"];
    const sites = (this.sites = ids.map((id) => new Site(id, chance, disk, schedule)));
    this.world = {
      schedule,
      chance: chance.fork(),
      disk,
      network,
      sites,
      trace,
      models,
      outside,
      slotBytes: chance.pick([4_096, 16_384, 65_536]),
      slots: chance.pick([2, 3]),
    };
    for (const { id, dir, ledger } of sites) {
      disk.mount(new Life("set-up")).makeFolder(dir);
      ledger.onLine = (stream, line) => {
        const types = line.events.map(({ type }) => type).join(" ");
        trace.add(schedule.nowMs, `commit ${line.pos}${id === "project" ? "" : ` of ${id}`} ${stream.slice(-6)} ${line.seq}: ${types}`);
      };
    }
    disk.settle();
    const names = ["anna", "bert", "cleo"].slice(0, 2 + chance.below(2));
    this.people = names.map((name) => new Person(name, { schedule, network, sites, trace, agents }, chance.fork()));
    this.readers = sites.map((site) => new Reader(`a reader of ${site.id}`, site, { schedule, network, chance: chance.fork() }));
    sabotage?.(this);
  }

  counts(): Result["counts"] {
    const sum = (of: (person: Person) => number) => this.people.reduce((all, person) => all + of(person), 0);
    const inAll = (of: (site: Site) => number) => this.sites.reduce((all, site) => all + of(site), 0);
    return {
      steps: this.schedule.steps,
      commits: inAll(({ ledger }) => ledger.pos),
      trees: inAll(({ ledger }) => ledger.trees.size),
      models: this.world.models.words,
      effects: this.outside.effects,
      documents: inAll(({ documents }) => documents.changes),
      tasks: inAll(({ ledger }) => ledger.tasks.all.length),
      accepted: sum(({ accepted }) => accepted),
      refused: sum(({ refused }) => refused),
      lives: this.#pid - 100,
      days: this.schedule.nowMs / 86_400_000,
    };
  }

  async tell(): Promise<void> {
    const { chance } = this;
    await this.#start();
    const moves = 15 + chance.below(50);
    for (let move = 0; move < moves; move += 1) {
      await this.#pass(chance.is(0.03) ? chance.wait(60_000, 10_000_000) : chance.wait(1, 8_000));
      await this.#move();
    }
    await this.#calm();
    await this.#end();
  }

  async #move(): Promise<void> {
    const { chance, disk, schedule } = this;
    const troubles: Troubles = disk.troubles;
    const say = (what: string) => this.trace.add(schedule.nowMs, what);
    const forAWhile = (begin: () => void, end: () => void) => {
      begin();
      schedule.after(WORLD, chance.wait(10, 20_000), end);
    };
    const move = chance.weighed<() => Promise<void> | void>([
      [60, () => chance.pick(this.people).act()],
      // Two concurrent ones, about the same subject.
      [8, () => this.people.forEach((person) => person.act())],
      [
        3,
        () => {
          const person = chance.pick(this.people);
          say(`${person.name} reloads the page`);
          person.reload();
        },
      ],
      [4, () => this.#editByHand()],
      [4, () => say(chance.pick(this.sites).editLive(chance))],
      [4, () => chance.pick(this.readers).act()],
      [5, () => void (this.network.breakOne() && say("a connection breaks"))],
      [3, () => this.#die("the process is killed", false)],
      [3, () => this.#die("the power is cut", true)],
      [
        5,
        () => {
          this.#doom(25);
        },
      ],
      [2, () => this.#restart()],
      [
        2,
        () =>
          forAWhile(
            () => {
              troubles.isFull = true;
              say("the disk is full");
            },
            () => {
              troubles.isFull = false;
              say("the disk has room again");
            },
          ),
      ],
      [
        2,
        () =>
          forAWhile(
            () => (troubles.slowMs = chance.wait(10, 2_000)),
            () => (troubles.slowMs = 0),
          ),
      ],
      [
        2,
        () => {
          troubles.failingSyncs = 1;
          say("a sync will fail");
        },
      ],
    ]);
    await move();
  }

  #editByHand(): void {
    const { chance } = this;
    const { documents, ledger } = chance.pick(this.sites);
    const taskdocs = [...ledger.trees.keys()].map((rootId) => `tasks/${rootId}.tsk/goals.md`);
    const path = chance.pick([...documents.paths, ...taskdocs, "memory/team/notes.md"]);
    this.trace.add(this.schedule.nowMs, `${path} is edited by hand: ${documents.editByHand(path, chance)}`);
  }

  /** Lets this much time pass. A process that dies meanwhile is restarted, as by a supervisor. */
  async #pass(ms: number): Promise<void> {
    const untilMs = this.schedule.nowMs + ms;
    for (;;) {
      const isDead = await this.schedule.run(() => this.#mustLook(), untilMs);
      demandCalmLoop(this.schedule);
      if (Broken.first) throw Broken.first;
      if (!isDead) return;
      await this.#start();
    }
  }

  #mustLook(): boolean {
    // A store that failed to sync says so, and is reopened.
    const hasFailed = this.process?.hasFailed === true;
    return this.#life.isOver || hasFailed || Broken.first !== undefined || this.schedule.steps > MAX_STEPS;
  }

  async #start(): Promise<void> {
    const { chance, schedule, trace } = this;
    for (;;) {
      this.#bury();
      if (!this.network.isCalm && chance.is(0.1)) for (const site of this.sites) trace.add(schedule.nowMs, site.edit(chance));
      if (!this.network.isCalm && chance.is(0.12)) await this.#runErrand();
      const { pid, life } = this.#newLife("process");
      // Mishaps rarely come alone.
      if (!this.network.isCalm && chance.is(0.2)) this.#doom(60);
      let outcome: Process | Error | undefined;
      Process.open(this.world, pid, life).then(
        (process) => (outcome = process),
        (error: unknown) => (outcome = error instanceof Error ? error : new Error(String(error))),
      );
      await schedule.run(() => outcome !== undefined || life.isOver || Broken.first !== undefined, schedule.nowMs + 600_000);
      if (Broken.first) throw Broken.first;
      if (outcome instanceof Process && !life.isOver) {
        this.process = outcome;
        return;
      }
      demand(outcome !== undefined || life.isOver, "SI10", () => "the project does not open");
      if (outcome instanceof Error && !life.isOver && !isOfTheDisk(outcome))
        throw new Broken("SI10", `the project does not open: ${outcome.stack}`);
      trace.add(schedule.nowMs, `it does not come up: ${outcome instanceof Error ? outcome.message : "it died"}`);
      await schedule.run(() => false, schedule.nowMs + chance.wait(100, 30_000));
    }
  }

  /** Everything in memory is gone; and with a power cut, whatever the disk had not synced. */
  #bury(): void {
    this.process?.die();
    this.#life.isOver = true;
    this.process = undefined;
    if (this.#isPowerCut) this.disk.cut();
    else this.disk.kill();
    for (const { documents } of this.sites) documents.wasCut ||= this.#isPowerCut;
    this.#isPowerCut = false;
  }

  #newLife(what: string): { readonly pid: number; readonly life: Life } {
    const pid = (this.#pid += 1);
    const life = (this.#life = new Life(`${what} ${pid}`));
    this.disk.onDoom = () => (life.isOver = true);
    this.trace.add(this.schedule.nowMs, `${what} ${pid} starts`);
    return { pid, life };
  }

  /** Somebody uses the command line before the server is back. */
  async #runErrand(): Promise<void> {
    const { chance, schedule, trace, world, sites } = this;
    const started = this.#newLife("command");
    const { life } = started;
    if (chance.is(0.2)) this.#doom(60);
    let outcome: "done" | Error | undefined;
    runErrand(world, chance.pick(sites), started, chance).then(
      () => (outcome = "done"),
      (error: unknown) => (outcome = error instanceof Error ? error : new Error(String(error))),
    );
    await schedule.run(() => outcome !== undefined || life.isOver || Broken.first !== undefined, schedule.nowMs + 600_000);
    if (Broken.first) throw Broken.first;
    demand(outcome !== undefined || life.isOver, "SI10", () => "the command does not end");
    if (outcome instanceof Error && !life.isOver && !isOfTheDisk(outcome)) throw new Broken("SI10", `the command fails: ${outcome.stack}`);
    trace.add(schedule.nowMs, `the command ends: ${outcome instanceof Error ? outcome.message : (outcome ?? "it died")}`);
    this.#bury();
  }

  /** The process ends within this many writes. */
  #doom(writes: number): void {
    const { chance, schedule, trace } = this;
    this.#isPowerCut = chance.is(0.5);
    this.disk.troubles.writesLeft = 1 + chance.below(writes);
    trace.add(
      schedule.nowMs,
      `${this.disk.troubles.writesLeft} more writes, then ${this.#isPowerCut ? "the power is cut" : "the process is killed"}`,
    );
  }

  async #die(how: string, isPowerCut: boolean): Promise<void> {
    this.trace.add(this.schedule.nowMs, how);
    this.#isPowerCut = isPowerCut;
    this.#life.isOver = true;
    await this.#start();
  }

  /** A clean stop, and a new process. */
  async #restart(): Promise<void> {
    await this.#stop();
    await this.#start();
  }

  async #stop(): Promise<boolean> {
    const { process, schedule, trace } = this;
    if (!process) return false;
    trace.add(schedule.nowMs, "it is told to stop");
    let isClosed = false;
    process.close().then(
      () => (isClosed = true),
      (error: unknown) => void new Broken("SI10", `it does not stop: ${error instanceof Error ? error.stack : String(error)}`),
    );
    await schedule.run(() => isClosed || Broken.first !== undefined || this.disk.troubles.writesLeft <= 0, schedule.nowMs + 600_000);
    if (Broken.first) throw Broken.first;
    demand(isClosed || this.disk.troubles.writesLeft <= 0, "SI10", () => "it does not stop");
    return isClosed;
  }

  /** No more failures; models finish, people decide open questions: then everything becomes idle. */
  async #calm(): Promise<void> {
    const { troubles } = this.disk;
    Object.assign(troubles, { isFull: false, failingSyncs: 0, slowMs: 0, writesLeft: Infinity } satisfies Partial<Troubles>);
    this.trace.add(this.schedule.nowMs, "calm");
    this.network.isCalm = true;
    this.outside.isCalm = true;
    this.world.models.adventures = 0;
    // Missing agents are back in their teams.
    const isWhole = this.sites.every(({ missing }) => missing === undefined);
    for (const site of this.sites) site.missing = undefined;
    if (this.#life.isOver) await this.#start();
    else if (!isWhole) await this.#restart();
    await this.#pass(60_000);
    const before = this.#events();
    await this.#pass(10_000);
    // What has just been committed may still be on its way to a page.
    if (this.#events() === before) this.#demandShownWhileAsking();
    // Somebody attends to each project.
    const tidy = this.sites.map((site, nth) => {
      const person = this.people[nth] as Person;
      if (person.site !== site) person.reload(site);
      return person;
    });
    let restless: string[] = [];
    for (let round = 0; round < 40; round += 1) {
      for (const person of tidy) person.tidyUp();
      // A spent day's budget is refilled the next day.
      await this.#pass(round % 8 === 7 ? 90_000_000 : 120_000);
      restless = restlessOf(this.sites, this.people);
      if (restless.length === 0) return;
      // Commands are answered within minutes, or never.
      const unanswered = this.people.reduce((sum, { openWishes }) => sum + openWishes.length, 0);
      if (round >= 3 && restless.length === unanswered) break;
    }
    const lost = this.people.flatMap(({ name, openWishes }) => openWishes.map((wish) => `${name}'s ${wish}`));
    demand(lost.length === 0, "SI24", () => `commands got no answer: ${lost.join("; ")}`);
    demand(restless.length === 0, "SI10", () => `it does not come to rest: ${restless.join("; ")}`);
  }

  #events(): number {
    return this.sites.reduce((sum, { ledger: { trees } }) => [...trees.values()].reduce((all, { seq }) => all + seq, sum), 0);
  }

  /** Pages show what the log says also where questions are open, as soon as nothing but people's answers is missing. */
  #demandShownWhileAsking(): void {
    const isMoving = this.sites.some(({ ledger: { trees } }) => [...trees.values()].some((tree) => entryOf(tree)?.hot === true));
    if (isMoving || this.people.some(({ openWishes }) => openWishes.length > 0)) return;
    for (const person of this.people) person.demandUpToDate();
  }

  async #end(): Promise<void> {
    const { process, schedule, disk } = this;
    if (!process) throw new Error("nobody is there");
    for (const person of this.people) for (const rootId of person.site.ledger.trees.keys()) person.watch(rootId);
    for (const reader of this.readers) reader.watchAll();
    await this.#pass(60_000);
    for (const person of this.people) person.demandUpToDate();
    for (const reader of this.readers) reader.demandUpToDate();
    for (const opened of process.opened) demandTasks(opened);
    const timers = schedule.pending(process.life);
    // Each stream is kept alive by one.
    const streams = this.readers.reduce((sum, { watching }) => sum + watching, 0);
    demand(timers <= 8 * this.sites.length + streams, "SI11", () => `${timers} timers of a process at rest`);
    demand(disk.openFiles <= 300 * this.sites.length, "SI11", () => `${disk.openFiles} files are open`);
    const expected = new Map<Site, Files>();
    let isRead = false;
    const readAll = async () => {
      for (const { site, store } of process.opened) {
        await site.ledger.demandBeside(store);
        expected.set(site, await filesOf(store, site.ledger.trees));
      }
      isRead = true;
    };
    void readAll();
    await schedule.run(() => isRead || Broken.first !== undefined, schedule.nowMs + 60_000);
    await this.#stop();
    for (const [site, files] of expected) demandFiles(site, files, this.world);
    await this.#start();
    await this.#pass(10_000);
    for (const { layers } of this.sites) {
      layers.demandOwned();
      layers.demandUndone();
    }
    await this.#stop();
    if (Broken.first) throw Broken.first;
    for (const site of this.sites) await this.#damage(site);
  }

  async #damage(site: Site): Promise<void> {
    const { schedule, chance, world } = this;
    const { pid, life } = this.#newLife("doctor");
    let tokens = 0;
    let outcome: "done" | Error | undefined;
    demandLocalDamage(
      site,
      storeOptions(world, pid, life, () => `token-${(tokens += 1)}`),
      chance,
    ).then(
      () => (outcome = "done"),
      (error: unknown) => (outcome = error instanceof Error ? error : new Error(String(error))),
    );
    await schedule.run(() => outcome !== undefined || Broken.first !== undefined, schedule.nowMs + 600_000);
    if (Broken.first) throw Broken.first;
    demand(outcome === "done", "SI20", () => `${outcome instanceof Error ? outcome.stack : "the doctor does not come to an end"}`);
  }
}

/** A full or failing disk may keep a project from opening; nothing else may. */
const isOfTheDisk = (error: Error): boolean =>
  error instanceof Fault ? error.code === "log_full" || error.code === "log_unavailable" : "code" in error;

/** Work that no process's death ends. */
const WORLD = new Life("world");

function demandCalmLoop({ steps }: Schedule): void {
  demand(steps <= MAX_STEPS, "SI10", () => `it goes round in circles: ${steps} steps`);
}
