import type { Config } from "@colloquy/schema";
import type { SimulatedDisk } from "./disk.ts";
import { SimulatedDocuments } from "./documents.ts";
import { Ledger } from "./ledger.ts";
import type { Schedule } from "./schedule.ts";

/** One of the projects that a process serves, and what was promised of it. Nothing of it concerns the others. */
export class Site {
  readonly id: string;
  readonly dir: string;
  readonly config: Config;
  readonly ledger = new Ledger();
  readonly documents: SimulatedDocuments;

  constructor(id: string, config: Config, disk: SimulatedDisk, schedule: Schedule) {
    this.id = id;
    this.dir = `/${id}`;
    this.config = config;
    this.documents = new SimulatedDocuments(this.dir, disk, schedule);
    this.ledger.onEvent = (event) => this.documents.hear(event);
  }
}
