import { Fault, Refused } from "@colloquy/schema";

/** The store reports a lock held by another process as a fault; for a caller that opens the folder it is a refusal. */
export async function unlessLocked<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof Fault && error.code === "store_locked") throw new Refused({ code: "locked", message: error.message });
    throw error;
  }
}
