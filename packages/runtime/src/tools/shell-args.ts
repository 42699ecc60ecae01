import { existsSync } from "node:fs";

/** How a command is started: both of its outputs in one, in the order in which they were written. */
export function shellArgs(command: string): readonly string[] {
  const shell = existsSync("/bin/bash") ? ["/bin/bash", "--noprofile", "--norc"] : ["/bin/sh"];
  return ["/bin/sh", "-c", 'exec "$@" 2>&1', "sh", ...shell, "-c", command];
}
