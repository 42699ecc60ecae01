import { type DefinedAgent, openProject, type Project } from "@colloquy/library";
import type { ModelRequest } from "@colloquy/models";
import { type Documents, memoryDocuments, type Staging, type Tool } from "@colloquy/runtime";
import { type RootId, textOf, timeOrderedId, type TreeEvent } from "@colloquy/schema";
import { type MemoryBacking, memoryBacking, memoryStore, type Store } from "@colloquy/store";
import { TestClock } from "./test-clock.ts";
import { type Telling, toldModel } from "./told-model.ts";

export interface WorldOptions {
  readonly telling: Telling;
  readonly tools?: readonly Tool[];
  readonly agents?: readonly DefinedAgent[];
  /** The disk of an earlier world. */
  readonly disk?: MemoryBacking;
  /** Wraps the store between the project and the disk. */
  readonly through?: (store: Store) => Store;
  readonly dir?: string;
  /** Documents of people and agents. Pass them on to the next world, like a disk. */
  readonly files?: Map<string, string>;
  /** Replaces the documents in memory. */
  readonly documents?: Documents;
  readonly staging?: Staging;
  readonly contextWindow?: number;
  readonly titleModel?: string;
  readonly drive?: "all" | "touched" | "none";
}

/** A project in memory, with a model that follows orders, a clock that only moves when advanced, and predictable ids. */
export class World {
  readonly project: Project;
  readonly disk: MemoryBacking;
  readonly clock: TestClock;
  /** The requests to the model, in order. */
  readonly requests: readonly ModelRequest[];
  readonly reports: readonly string[];

  constructor(parts: Pick<World, "project" | "disk" | "clock" | "requests" | "reports">) {
    this.project = parts.project;
    this.disk = parts.disk;
    this.clock = parts.clock;
    this.requests = parts.requests;
    this.reports = parts.reports;
  }

  async events(rootId: RootId): Promise<readonly TreeEvent[]> {
    return (await this.project.dialogs.events(rootId)).flatMap((line) => line.events);
  }

  /** Who said what, one line each. Calls and results are `agent> tool` and `tool> result`. */
  async story(rootId: RootId): Promise<readonly string[]> {
    const tools = new Map<string, string>();
    return (await this.events(rootId)).flatMap((event): string[] => {
      switch (event.type) {
        case "message.added":
          return [`${event.by}: ${event.content}`];
        case "step.ended": {
          const made = event.parts.flatMap((part) => ("call" in part ? [part] : []));
          for (const part of made) tools.set(part.call, part.tool);
          const said = textOf(event.parts);
          return [...(said === "" ? [] : [`${event.agent}: ${said}`]), ...made.map((part) => `${event.agent}> ${part.tool}`)];
        }
        case "call.ended":
          return [`${tools.get(event.call)}> ${event.output}`];
        case "dialog.stopped":
          return [`stopped: ${event.reason.code}`];
        default:
          return [];
      }
    });
  }
}

export async function world(options: WorldOptions): Promise<World> {
  const disk = options.disk ?? memoryBacking();
  const store = memoryStore(disk);
  const clock = new TestClock(Date.UTC(2026, 0, 1) + disk.pos * 1_000);
  const requests: ModelRequest[] = [];
  const reports: string[] = [];
  const agents = options.agents ?? [{ id: "lead", name: "Lead", role: "You lead.", tools: options.tools ?? [], default: true }];
  const model = toldModel(options.telling, requests, options.contextWindow);
  let ids = disk.pos * 1_000;
  const project = await openProject({
    dir: options.dir ?? "/nowhere",
    store: options.through ? options.through(store) : store,
    agents,
    documents: options.documents ?? memoryDocuments(options.files),
    ...(options.staging && { staging: options.staging }),
    ...(options.drive && { drive: options.drive }),
    model: model.name,
    ...(options.titleModel !== undefined && { titleModel: options.titleModel }),
    findModel: () => model,
    clock,
    newId: () => {
      ids += 1;
      return timeOrderedId(clock.now(), Uint8Array.from([0, 0, 0, 0, 0, 0, ids >> 24, ids >> 16, ids >> 8, ids]));
    },
    chance: () => 0.5,
    report: (message) => reports.push(message),
  });
  return new World({ project, disk, clock, requests, reports });
}
