import { readdirSync, readFileSync } from "node:fs";

/** A variable in the environment of everything that a command starts, to find processes that leave its process group. */
export const MARK = "COLLOQUY_COMMAND";

/**
 * Kills processes that a command without a sandbox started in a session of their own, as far as /proc shows them. In a sandbox none
 * can escape.
 */
export function endStrays(mark: string): void {
  if (process.platform !== "linux") return;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`${MARK}=${mark}`)) process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended, or belongs to another user.
    }
  }
}
