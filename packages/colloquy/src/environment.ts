import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the process was given, and below it the project's `.env` that a person wrote. */
export function environmentOf(dir: string, given: Environment): Environment {
  return { ...readEnvFile(join(dir, ".env")), ...given };
}

function readEnvFile(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}
