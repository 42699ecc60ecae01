import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "../line/command.ts";
import { refused } from "../line/failure.ts";
import { homePath } from "../access/paths.ts";
import type { ChosenModel, TemplateName } from "../templates/project-files.ts";
import type { Language } from "../templates/team-template.ts";

/** What `init` creates. */
export interface NewProject {
  readonly dir: string;
  readonly template: TemplateName;
  readonly language: Language;
  readonly model: ChosenModel;
}

/** Never overwrites an existing project. */
export function refuseProject(dir: string, { shell }: Pick<Call, "shell">): void {
  if (!existsSync(join(dir, "colloquy.yaml"))) return;
  throw refused(
    "exists_already",
    `There is a colloquy.yaml in ${homePath(dir, shell.env)} already, and it was not changed. Look at the team: colloquy agents`,
  );
}
