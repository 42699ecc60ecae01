import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export const CONFIG_FILE = "colloquy.yaml";

/** The folder with `colloquy.yaml`, here or above, as git does it. */
export function findProject(from: string): string | undefined {
  const here = resolve(from);
  if (existsSync(join(here, CONFIG_FILE))) return here;
  const above = dirname(here);
  return above === here ? undefined : findProject(above);
}
