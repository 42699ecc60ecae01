import { createContext, Script as VmScript } from "node:vm";

/** How long one attempt may take by the clock. */
const ATTEMPT_MS = 50;
/** How much the processor may work on it. On a busy machine an attempt may end after the thread got hardly any of the processor. */
const WORK_MS = 90;
/** A thread that gets no processor at all does not wait for ever. */
const MAX_ATTEMPTS = 100;

const call = new VmScript("work()");

/**
 * Stops synchronous work that keeps the processor busy for a tenth of a second, even in the middle of matching a pattern, which nothing
 * else interrupts; `onLate` then makes the error. The work must have no effects, since it may run several times.
 */
export function withTimeLimit<Result>(work: () => Result, onLate: () => Error): Result {
  const before = workedMs();
  for (let attempt = 1; ; attempt++) {
    try {
      return call.runInContext(createContext({ work }), { timeout: ATTEMPT_MS }) as Result;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
      if (workedMs() - before >= WORK_MS || attempt === MAX_ATTEMPTS) throw onLate();
    }
  }
}

/** Processor time of this thread; before Node 23.9, of the process. */
function workedMs(): number {
  const { user, system } = "threadCpuUsage" in process ? process.threadCpuUsage() : (process as NodeJS.Process).cpuUsage();
  return (user + system) / 1_000;
}
