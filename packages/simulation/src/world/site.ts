import type { ConfigInput } from "@colloquy/schema";
import type { Chance } from "./chance.ts";
import type { SimulatedDisk } from "./disk.ts";
import { SimulatedDocuments } from "../documents.ts";
import { SimulatedLayers } from "../layers.ts";
import { Ledger } from "../watches/ledger.ts";
import type { Schedule } from "./schedule.ts";

/** One of the projects that a process serves, and the promises about it. Independent of the others. */
export class Site {
  readonly id: string;
  readonly dir: string;
  config: ConfigInput;
  /** The agent that is missing from the team at the moment, if any. */
  missing: string | undefined;
  readonly ledger = new Ledger();
  readonly documents: SimulatedDocuments;
  readonly layers: SimulatedLayers;

  constructor(id: string, chance: Chance, disk: SimulatedDisk, schedule: Schedule) {
    this.id = id;
    this.dir = `/${id}`;
    this.config = configOf(chance);
    this.documents = new SimulatedDocuments(this.dir, disk, schedule);
    this.layers = new SimulatedLayers(this.ledger, chance.fork());
    this.ledger.onEvent = (event) => this.documents.hear(event);
  }

  /** Somebody edits the settings; the next process uses them. */
  edit(chance: Chance): string {
    this.config = configOf(chance);
    this.missing = chance.pick([undefined, "coder", "scribe"]);
    return `settings of ${this.id} are edited${this.missing === undefined ? "" : `, ${this.missing} is gone`}`;
  }

  /** Somebody edits the language and the limits while a process runs, which uses them from then on. */
  editLive(chance: Chance): string {
    const { language, limits } = configOf(chance);
    this.config = { ...this.config, language, limits };
    return `language and limits of ${this.id} are edited: ${language} ${JSON.stringify(limits)}`;
  }
}

function configOf(chance: Chance): ConfigInput {
  return {
    language: chance.pick(["en", "zh"]),
    limits: {
      depth: chance.pick([2, 4, 8]),
      openAsks: chance.pick([3, 32]),
      stepsPerTurn: chance.pick([5, 30, 200]),
      concurrency: chance.pick([1, 3, 16]),
      ...(chance.is(0.2) && { tokensPerTree: 5_000 }),
      ...(chance.is(0.1) && { costPerDay: 0.004 }),
    },
    ...(chance.is(0.3) && { permissions: { pay: "ask" } }),
    orchestrator: { concurrency: chance.pick([1, 2, 3]) },
    autonomy: { scopeChanges: chance.pick(["automated", "notify_and_proceed", "requires_approval"]) },
  };
}
