import { Disconnected } from "@colloquy/client";

/** A server that is being started again is back within about ten seconds. */
const AGAIN_MS = 250;
const MAX_TRIES = 40;

/** Asks a server until it answers. */
export async function again<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Disconnected) || tries === MAX_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}
