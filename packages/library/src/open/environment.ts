import { join } from "node:path";
import { parseEnv } from "node:util";
import { readOwnerFile } from "./owner-file.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The process's environment, with the project's `.env` as a fallback. */
export function environmentOf(dir: string, given: Environment): Environment {
  return { ...readEnvFile(join(dir, ".env")), ...given };
}

/** Variables by which programs find other programs, settings and caches; a folder's `.env` may not set them. */
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
