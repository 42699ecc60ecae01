import { existsSync } from "node:fs";
import { totalmem } from "node:os";

/** Core files help nobody here. */
const LIMITS = [
  "ulimit -c 0",
  // In kB. One process must not use up the machine's memory: ours is in it.
  `ulimit -d ${Math.floor((0.75 * totalmem()) / 1024)} 2>/dev/null`,
  // dash calls it -p, bash -u. Neither applies to root.
  "{ ulimit -p 4096 || ulimit -u 4096; } 2>/dev/null",
];

/**
 * How a command is started: stdout and stderr in one stream, in the order written. A program with arguments is started directly, with
 * its outputs separate.
 */
export function shellArgs(command: string | readonly string[]): readonly string[] {
  if (typeof command !== "string") return ["/bin/sh", "-c", `${LIMITS.join("; ")}; exec "$@"`, "sh", ...command];
  const shell = existsSync("/bin/bash") ? ["/bin/bash", "--noprofile", "--norc"] : ["/bin/sh"];
  return ["/bin/sh", "-c", `${LIMITS.join("; ")}; exec "$@" 2>&1`, "sh", ...shell, "-c", command];
}
