import { existsSync } from "node:fs";
import { totalmem } from "node:os";

/** Core files help nobody here. */
const LIMITS = [
  "ulimit -c 0",
  // In kB. One process must not take the machine's memory: ours is in it.
  `ulimit -d ${Math.floor((0.75 * totalmem()) / 1024)} 2>/dev/null`,
  // dash calls it -p, bash -u. Neither counts for root.
  "{ ulimit -p 4096 || ulimit -u 4096; } 2>/dev/null",
];

/**
 * How a command is started: both of its outputs in one, in the order in which they were written. A program with its arguments is
 * started as it is, with its outputs apart.
 */
export function shellArgs(command: string | readonly string[]): readonly string[] {
  if (typeof command !== "string") return ["/bin/sh", "-c", `${LIMITS.join("; ")}; exec "$@"`, "sh", ...command];
  const shell = existsSync("/bin/bash") ? ["/bin/bash", "--noprofile", "--norc"] : ["/bin/sh"];
  return ["/bin/sh", "-c", `${LIMITS.join("; ")}; exec "$@" 2>&1`, "sh", ...shell, "-c", command];
}
