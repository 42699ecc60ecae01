import { Fault, Refused } from "@colloquy/schema";

/** To the store another process at work is the world's fault; to whoever opens the folder it is a "no", like any other. */
export async function unlessLocked<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof Fault && error.code === "store_locked") throw new Refused({ code: "locked", message: error.message });
    throw error;
  }
}
