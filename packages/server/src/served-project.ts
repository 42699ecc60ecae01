import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { Committed, Project } from "@colloquy/library";
import type { answers } from "@colloquy/schema";
import type { z } from "zod";
import { Hub } from "./live/hub.ts";
import { Meter } from "./live/meter.ts";
import type { Pace } from "./live/pace.ts";
import { Places } from "./places.ts";

/** A project as a server shows it. */
export class ServedProject {
  readonly id: string;
  readonly name: string;
  readonly project: Project;
  readonly hub: Hub;
  readonly meter: Meter;
  readonly #places: Places;

  private constructor(id: string, project: Project, places: Places, report: (error: unknown) => void, pace?: Pace) {
    this.id = id;
    this.name = basename(project.dir);
    this.project = project;
    this.#places = places;
    this.hub = new Hub(id, project, places, report, pace);
    this.meter = new Meter(project);
  }

  static async open(id: string, project: Project, report: (error: unknown) => void, pace?: Pace): Promise<ServedProject> {
    // What is committed while the places are read comes behind them.
    const early: Committed[] = [];
    const stop = project.onCommit((committed) => early.push(committed));
    const folder = join(project.dir, ".dialogs");
    const places = await Places.open(project, existsSync(folder) ? join(folder, "commits.index") : undefined);
    stop();
    const served = new ServedProject(id, project, places, report, pace);
    project.tasks.start();
    for (const committed of early) if (committed.pos > places.end) served.hub.committed(committed);
    return served;
  }

  row(): z.infer<typeof answers.ProjectRow> {
    return { id: this.id, name: this.name, questions: this.project.questions.count(), running: this.project.dialogs.atWork() };
  }

  async close(): Promise<void> {
    this.hub.close();
    this.meter.close();
    await this.#places.close();
  }
}

/** The project's folder as it may stand in an address; with a number where two have the same name. */
export function projectIds(dirs: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return dirs.map((dir) => {
    const slug =
      basename(dir)
        .normalize("NFC")
        .replaceAll(/[^\p{L}\p{N}._-]+/gu, "-") || "project";
    let id = slug;
    for (let nth = 2; taken.has(id); nth++) id = `${slug}-${nth}`;
    taken.add(id);
    return id;
  });
}
