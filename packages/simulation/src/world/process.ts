import { type DefinedAgent, openProject, type Project } from "@colloquy/library";
import { entryOf } from "@colloquy/core";
import { fileDocuments, foldTree } from "@colloquy/runtime";
import { timeOrderedId } from "@colloquy/schema";
import { Allowance, apiHandler, type Caller, Connection, type Context, type Pace, ServedProject } from "@colloquy/server/internals";
import type { Store } from "@colloquy/store";
import { type FileStore, openFileStore } from "@colloquy/store-file";
import { demand } from "../broken.ts";
import type { Chance } from "./chance.ts";
import type { SimulatedDisk } from "./disk.ts";
import { LiveOrder } from "../watches/live-order.ts";
import { type ModelWorld, simulatedModels } from "./model.ts";
import type { Network } from "./network.ts";
import type { Outside } from "./outside.ts";
import type { Life, Schedule } from "./schedule.ts";
import type { Site } from "./site.ts";
import type { Trace } from "../trace.ts";

/** In 2026, on every simulated machine. */
const STARTED_MS = Date.UTC(2026, 0, 1);

export interface ProcessWorld {
  readonly schedule: Schedule;
  readonly chance: Chance;
  readonly disk: SimulatedDisk;
  readonly network: Network;
  readonly sites: readonly Site[];
  readonly trace: Trace;
  readonly models: ModelWorld;
  readonly outside: Outside;
  readonly slotBytes: number;
  readonly slots: number;
  /** Wraps the store, to break it on purpose and test that this is noticed. */
  through?: (store: Store, life: Life) => Store;
}

/** `tools`: in addition to those of the outside world. */
export const AGENTS: readonly (DefinedAgent & { readonly tools: readonly string[] })[] = [
  {
    id: "lead",
    name: "Lead",
    role: "You lead.",
    model: "anthropic/one",
    default: true,
    fbrEffort: 2,
    tools: ["tasks"],
    handles: ["feedback", "prd", "plan"],
  },
  { id: "coder", name: "Coder", role: "You write.", model: "openai/two", tools: [], handles: ["task"] },
  { id: "scribe", name: "Scribe", role: "You note.", model: "compatible/three", asks: "text", tools: [], handles: ["task"] },
];

/** A project in a process. */
interface Opened {
  readonly site: Site;
  readonly store: FileStore;
  readonly project: Project;
}

type Served = Opened & { readonly served: ServedProject };

/** A process that serves the projects: the real stores, engines and server on a simulated world. */
export class Process {
  readonly life: Life;
  readonly opened: Served[] = [];
  readonly #world: ProcessWorld;
  readonly #connections = new Set<Connection>();
  #isStopping = false;

  private constructor(world: ProcessWorld, life: Life) {
    this.#world = world;
    this.life = life;
  }

  /** All or nothing: if one project can't be opened, the earlier ones are closed. */
  static async open(world: ProcessWorld, pid: number, life: Life): Promise<Process> {
    const { schedule, trace } = world;
    const process = new Process(world, life);
    const report = (error: unknown) =>
      trace.add(schedule.nowMs, `server reported: ${error instanceof Error ? error.message : String(error)}`);
    const pace = paceOf(schedule, life);
    try {
      for (const site of world.sites) {
        const opened = await openSite(world, site, { pid, life });
        const served = await ServedProject.open(site.id, opened.project, { report, pace });
        process.opened.push({ ...opened, served });
      }
    } catch (error) {
      if (!life.isOver) await process.#closeAll();
      throw error;
    }
    process.#listen(report, pace);
    return process;
  }

  /** One of its stores failed to sync, and says so. */
  get hasFailed(): boolean {
    return this.opened.some(({ store }) => store.health().refusing?.includes("confirm") === true);
  }

  #listen(report: (error: unknown) => void, pace: Pace): void {
    const { schedule, network } = this.#world;
    const context: Context = {
      version: "simulated",
      projects: () => this.opened.map(({ served }) => served),
      isStopping: () => this.#isStopping,
      report,
    };
    const handle = apiHandler(context);
    const callerOf = (user: string): Caller => ({ user, nameIn: () => user, roleIn: () => "owner", refresh: async () => undefined });
    network.listener = {
      life: this.life,
      accept: (socket, stream, token) => {
        const allowance = new Allowance(1_000, 1_000, () => schedule.nowMs);
        // They implement only what a connection uses.
        const sockets = { ws: socket as never, stream: stream as never };
        const connection = new Connection(sockets, { caller: callerOf(token), allowance }, context, pace);
        this.#connections.add(connection);
        socket.on("close", () => this.#connections.delete(connection));
      },
      answer: (request, token) => handle(request, callerOf(token)),
    };
  }

  /** Stops as a server does, in its order. */
  async close(): Promise<void> {
    this.#isStopping = true;
    this.#world.network.listener = undefined;
    for (const connection of this.#connections) connection.dismiss();
    await this.#closeAll();
    this.die();
  }

  async #closeAll(): Promise<void> {
    for (const { served, project } of this.opened) {
      await served.close();
      await project.close();
    }
  }

  die(): void {
    this.life.isOver = true;
    this.#world.network.listener = undefined;
    this.#world.network.breakAll();
  }
}

function paceOf(schedule: Schedule, life: Life): Pace {
  return {
    nowMs: () => schedule.nowMs,
    soon: (work) => schedule.after(life, 0, work),
    // No timer is shorter than a millisecond.
    later: (ms, work) => schedule.after(life, Math.max(1, Math.ceil(ms)), work),
  };
}

/** The options with which this process opens a project's store. */
export function storeOptions({ schedule, disk, slotBytes, slots }: ProcessWorld, pid: number, life: Life, newToken: () => string) {
  const pace = paceOf(schedule, life);
  return {
    disk: disk.mount(life),
    pace: { ...pace, soon: (work: () => void) => void pace.soon(work) },
    processes: { pid, host: "here", startOf: (asked: number) => (asked === pid ? "now" : undefined), newToken },
    now: () => STARTED_MS + Math.floor(schedule.nowMs),
    slotBytes,
    slots,
    compactAt: 4_096,
  };
}

/** A started process: its id, and whether it is alive. */
export interface Started {
  readonly pid: number;
  readonly life: Life;
}

/** `drive`: everything, as a server does; only what a command has touched; or nothing. */
export async function openSite(
  world: ProcessWorld,
  site: Site,
  { pid, life }: Started,
  drive: "all" | "touched" | "none" = "all",
): Promise<Opened> {
  const { schedule, chance, trace } = world;
  const { dir, ledger, documents } = site;
  const nowMs = () => STARTED_MS + Math.floor(schedule.nowMs);
  const pace = paceOf(schedule, life);
  const newId = () =>
    timeOrderedId(
      nowMs(),
      Uint8Array.from({ length: 10 }, () => chance.below(256)),
    );
  const store = await openFileStore(dir, {
    ...storeOptions(world, pid, life, newId),
    foldEntry: (rootId, opened) => entryOf(foldTree(rootId, opened)),
  });
  await ledger.reopened(store);
  documents.reopened();
  demand(!store.health().notices.some((notice) => notice.includes("damaged")), "SI1", () => store.health().notices.join("; "));
  const project = await openProject({
    dir,
    drive,
    store: ledger.overhear(world.through?.(store, life) ?? store, life),
    agents: AGENTS.filter(({ id }) => id !== site.missing).map((agent) => ({
      ...agent,
      tools: [...agent.tools, ...world.outside.tools(life, site)],
    })),
    documents: fileDocuments(dir, documents.mount(life)),
    staging: site.layers.staging(life),
    config: () => site.config,
    findModel: simulatedModels(world.models, life, ledger),
    env: {},
    clock: {
      now: nowMs,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (signal.aborted) return reject(signal.reason as Error);
          const callOff = pace.later(ms, () => {
            forget();
            resolve();
          });
          const stop = () => {
            callOff();
            reject(signal.reason as Error);
          };
          const forget = schedule.onAbort(signal, stop);
        }),
    },
    newId,
    chance: chance.next,
    report: (message) => trace.add(schedule.nowMs, `reported: ${message.split("\n")[0]}`),
  });
  const order = new LiveOrder("a listener of the engine", true);
  project.onLive((event) => order.hear(event));
  return { site, store, project };
}
