/** When the server tells what it has to tell. */
export interface Pace {
  /** In milliseconds that only ever grow. */
  readonly nowMs: () => number;
  /** With whatever else comes in this turn of the loop. Returns the way to call it off. */
  readonly soon: (work: () => void) => () => void;
  readonly later: (ms: number, work: () => void) => () => void;
}

export const realPace: Pace = {
  nowMs: () => performance.now(),
  soon(work) {
    const turn = setImmediate(work);
    return () => clearImmediate(turn);
  },
  later(ms, work) {
    // What is left to tell keeps no process alive: sockets do.
    const timer = setTimeout(work, ms).unref();
    return () => clearTimeout(timer);
  },
};
