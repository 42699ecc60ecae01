import type { Api } from "@colloquy/client";
import { again } from "./again.ts";

/** How long one request waits for quiet. */
const WITHIN_MS = 25_000;

/** Resolves when the dialog's tree is idle, or when the signal comes. */
export async function quietOver(api: Api, dialog: string, signal: AbortSignal): Promise<void> {
  const isOver = new Promise<true>((resolve) => signal.addEventListener("abort", () => resolve(true), { once: true }));
  while (!signal.aborted) {
    const looking = again(() => api.dialogs.quiet(dialog, { within: WITHIN_MS }, signal)).then(({ isQuiet }) => isQuiet);
    // What fails after the signal is of no interest.
    looking.catch(() => undefined);
    if (await Promise.race([looking, isOver])) return;
  }
}
