import { readDuration } from "@colloquy/schema";

/** "2h" from now, or an ISO time, in milliseconds. */
export function deadlineMs(text: string, now: number): number {
  const duration = readDuration(text);
  return duration === undefined ? Date.parse(text) : now + duration;
}
