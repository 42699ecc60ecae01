import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { Committed, Project } from "@colloquy/library";
import type { answers } from "@colloquy/schema";
import type { z } from "zod";
import type { FeedSource } from "./live/feed.ts";
import { Hub } from "./live/hub.ts";
import { Meter } from "./live/meter.ts";
import type { Pace } from "./live/pace.ts";
import { Places } from "./places.ts";

interface HubOptions {
  readonly report: (error: unknown) => void;
  readonly pace?: Pace;
}

/** A project as a server shows it. */
export class ServedProject {
  readonly id: string;
  readonly name: string;
  readonly project: Project;
  readonly hub: Hub;
  readonly meter: Meter;
  readonly #places: Places;

  private constructor({ id, project, places }: FeedSource, { report, pace }: HubOptions) {
    this.id = id;
    this.name = basename(project.dir);
    this.project = project;
    this.#places = places;
    this.hub = new Hub({ id, project, places }, report, pace);
    this.meter = new Meter(project);
  }

  static async open(id: string, project: Project, options: HubOptions): Promise<ServedProject> {
    // Commits made while positions are being read are added afterwards.
    const early: Committed[] = [];
    const stop = project.onCommit((committed) => early.push(committed));
    const folder = join(project.dir, ".dialogs");
    const places = await Places.open(project, existsSync(folder) ? join(folder, "commits.index") : undefined);
    stop();
    const served = new ServedProject({ id, project, places }, options);
    project.tasks.start();
    for (const committed of early) if (committed.pos > places.end) served.hub.committed(committed);
    return served;
  }

  row(): z.infer<typeof answers.ProjectRow> {
    return { id: this.id, name: this.name, questions: this.project.questions.count(), running: this.project.dialogs.atWork() };
  }

  /** Ends the streams of people whom the settings no longer allow. */
  async look(): Promise<void> {
    if (this.hub.streams.size === 0) return;
    await this.project.agents.refresh();
    this.hub.look();
  }

  async close(): Promise<void> {
    this.hub.close();
    this.meter.close();
    await this.#places.close();
  }
}

/** The folder's name in a form valid in addresses, numbered if two are equal. */
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
