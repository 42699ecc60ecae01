import { basename } from "node:path";
import type { Project } from "@colloquy/library";
import type { answers } from "@colloquy/schema";
import type { z } from "zod";
import { Hub } from "./hub.ts";

/** A project as a server shows it. */
export class ServedProject {
  readonly id: string;
  readonly name: string;
  readonly project: Project;
  readonly hub: Hub;

  constructor(id: string, project: Project, report: (error: unknown) => void) {
    this.id = id;
    this.name = basename(project.dir);
    this.project = project;
    this.hub = new Hub(id, project, report);
  }

  row(): z.infer<typeof answers.ProjectRow> {
    return { id: this.id, name: this.name, questions: this.project.openQuestions(), running: this.project.atWork() };
  }

  close(): void {
    this.hub.close();
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
