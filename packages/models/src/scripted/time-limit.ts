import { createContext, Script as VmScript } from "node:vm";

const TIME_MS = 50;
/** A process that was frozen, or got no CPU, gets another chance. */
const ATTEMPTS = 2;

const call = new VmScript("work()");

/**
 * Stops synchronous work after 50 ms, even in the middle of matching a pattern, which nothing else interrupts; `onLate` then makes the
 * error. The work must have no effects, since it may run twice.
 */
export function withTimeLimit<Result>(work: () => Result, onLate: () => Error): Result {
  for (let attempt = 1; ; attempt++) {
    try {
      return call.runInContext(createContext({ work }), { timeout: TIME_MS }) as Result;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
      if (attempt === ATTEMPTS) throw onLate();
    }
  }
}
