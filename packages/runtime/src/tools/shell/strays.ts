import { readdirSync, readFileSync } from "node:fs";

/** Given to all that a command starts, so that what leaves its group can be found. */
export const MARK = "COLLOQUY_COMMAND";

/**
 * Ends what a command without a sandbox has started in a session of its own, as far as /proc tells. In a sandbox nothing gets
 * away in the first place.
 */
export function endStrays(mark: string): void {
  if (process.platform !== "linux") return;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`${MARK}=${mark}`)) process.kill(Number(pid), "SIGKILL");
    } catch {
      // It is over by now, or not ours to look at.
    }
  }
}
