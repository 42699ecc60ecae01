import { join } from "node:path";
import { parseEnv } from "node:util";
import { readOwnerFile } from "./owner-file.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the process was given, and below it the project's `.env` that a person wrote. */
export function environmentOf(dir: string, given: Environment): Environment {
  return { ...readEnvFile(join(dir, ".env")), ...given };
}

/** By these programs find other programs, their settings and their caches: the folder has no say in that. */
const STEERS_PROGRAMS = /^(?:PATH|PATHEXT|HOME|SHELL|USER|LOGNAME|TMPDIR|TEMP|TMP|XDG_.*|COLLOQUY_.*)$/i;

function readEnvFile(path: string): Environment {
  try {
    const read = Object.entries(parseEnv(readOwnerFile(path)));
    return Object.fromEntries(read.filter(([name]) => !STEERS_PROGRAMS.test(name)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}
