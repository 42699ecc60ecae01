import { type DefinedAgent, openProject, type Project } from "@colloquy/library";
import { entryOf } from "@colloquy/core";
import { fileDocuments, foldTree } from "@colloquy/runtime";
import { type Config, timeOrderedId } from "@colloquy/schema";
import { Allowance, apiHandler, type Caller, Connection, type Context, ServedProject } from "@colloquy/server/parts";
import type { Store } from "@colloquy/store";
import { type FileStore, openFileStore } from "@colloquy/store-file";
import { demand } from "./broken.ts";
import type { Chance } from "./chance.ts";
import type { SimulatedDisk } from "./disk.ts";
import type { SimulatedDocuments } from "./documents.ts";
import type { Ledger } from "./ledger.ts";
import { LiveOrder } from "./live-order.ts";
import { type ModelWorld, simulatedModels } from "./model.ts";
import type { Network } from "./network.ts";
import type { Outside } from "./outside.ts";
import type { Life, Schedule } from "./schedule.ts";
import type { Trace } from "./trace.ts";

export const DIR = "/project";
/** In 2026, as every machine here thinks. */
const STARTED_MS = Date.UTC(2026, 0, 1);

export interface ProcessWorld {
  readonly schedule: Schedule;
  readonly chance: Chance;
  readonly disk: SimulatedDisk;
  readonly network: Network;
  readonly ledger: Ledger;
  readonly trace: Trace;
  readonly models: ModelWorld;
  readonly outside: Outside;
  readonly documents: SimulatedDocuments;
  readonly config: Config;
  readonly slotBytes: number;
  readonly slots: number;
  /** Something between the engine and its store, to see that it is noticed. */
  through?: (store: Store, life: Life) => Store;
}

/** `tools`: beside those of the world outside. */
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

/** A process that serves the project: the real store, engine and server on simulated ground. */
export class Process {
  readonly life: Life;
  readonly store: FileStore;
  readonly project: Project;
  readonly #served: ServedProject;
  readonly #world: ProcessWorld;
  readonly #connections = new Set<Connection>();
  #isStopping = false;

  private constructor(world: ProcessWorld, life: Life, store: FileStore, project: Project, served: ServedProject) {
    this.#world = world;
    this.life = life;
    this.store = store;
    this.project = project;
    this.#served = served;
  }

  static async open(world: ProcessWorld, pid: number, life: Life): Promise<Process> {
    const { schedule, chance, disk, ledger, trace } = world;
    const nowMs = () => STARTED_MS + Math.floor(schedule.nowMs);
    const soon = (work: () => void) => schedule.after(life, 0, work);
    // No timer is shorter than a millisecond.
    const later = (ms: number, work: () => void) => schedule.after(life, Math.max(1, Math.ceil(ms)), work);
    const newId = () =>
      timeOrderedId(
        nowMs(),
        Uint8Array.from({ length: 10 }, () => chance.below(256)),
      );
    const store = await openFileStore(DIR, {
      disk: disk.mount(life),
      pace: { nowMs: () => schedule.nowMs, soon: (work) => void soon(work), later },
      processes: { pid, host: "here", startOf: (asked) => (asked === pid ? "now" : undefined), newToken: newId },
      now: nowMs,
      slotBytes: world.slotBytes,
      slots: world.slots,
      compactAt: 4_096,
      foldEntry: (rootId, opened) => entryOf(foldTree(rootId, opened)),
    });
    await ledger.reopened(store);
    world.documents.reopened();
    demand(!store.health().notices.some((notice) => notice.includes("damaged")), "SI1", () => store.health().notices.join("; "));
    const project = await openProject({
      dir: DIR,
      store: ledger.overhear(world.through?.(store, life) ?? store, life),
      agents: AGENTS.map((agent) => ({ ...agent, tools: [...agent.tools, ...world.outside.tools(life)] })),
      documents: fileDocuments(DIR, world.documents.mount(life)),
      config: world.config,
      findModel: simulatedModels(world.models, life),
      env: {},
      clock: {
        now: nowMs,
        sleep: (ms, signal) =>
          new Promise((resolve, reject) => {
            if (signal.aborted) return reject(signal.reason as Error);
            const callOff = later(ms, () => {
              signal.removeEventListener("abort", stop);
              resolve();
            });
            const stop = () => {
              callOff();
              reject(signal.reason as Error);
            };
            signal.addEventListener("abort", stop, { once: true });
          }),
      },
      newId,
      chance: chance.next,
      report: (message) => trace.add(schedule.nowMs, `reported: ${message.split("\n")[0]}`),
    });
    const report = (error: unknown) =>
      trace.add(schedule.nowMs, `server reported: ${error instanceof Error ? error.message : String(error)}`);
    const pace = { nowMs: () => schedule.nowMs, soon, later };
    const served = await ServedProject.open("project", project, report, pace);
    const order = new LiveOrder("whoever listens to the engine", true);
    project.onLive((event) => order.hear(event));
    const process = new Process(world, life, store, project, served);
    process.#listen(report, pace);
    return process;
  }

  #listen(report: (error: unknown) => void, pace: ConstructorParameters<typeof Connection>[5]): void {
    const { schedule, network } = this.#world;
    const context: Context = { version: "simulated", projects: () => [this.#served], isStopping: () => this.#isStopping, report };
    const handle = apiHandler(context);
    const callerOf = (user: string): Caller => ({ user, roleIn: () => "owner", refresh: async () => undefined });
    network.listener = {
      life: this.life,
      accept: (socket, stream, token) => {
        const allowance = new Allowance(1_000, 1_000, () => schedule.nowMs);
        // The parts of a socket that a connection uses, and no others.
        const connection = new Connection(socket as never, stream as never, callerOf(token), context, allowance, pace);
        this.#connections.add(connection);
        socket.on("close", () => this.#connections.delete(connection));
      },
      answer: (request, token) => handle(request, callerOf(token)),
    };
  }

  /** As a server is stopped, in its order. */
  async close(): Promise<void> {
    this.#isStopping = true;
    this.#world.network.listener = undefined;
    for (const connection of this.#connections) connection.dismiss();
    await this.#served.close();
    await this.project.close();
    this.die();
  }

  die(): void {
    this.life.isOver = true;
    this.#world.network.listener = undefined;
    this.#world.network.breakAll();
  }
}
