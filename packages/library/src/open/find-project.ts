import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export const CONFIG_FILE = "colloquy.yaml";

/** A team defined in code leaves only its dialogs in the folder. */
const MARKS = [CONFIG_FILE, ".dialogs"];

/** The folder with `colloquy.yaml` or with dialogs, here or above, as git does it. */
export function findProject(from: string): string | undefined {
  const here = resolve(from);
  if (MARKS.some((name) => existsSync(join(here, name)))) return here;
  const above = dirname(here);
  return above === here ? undefined : findProject(above);
}
