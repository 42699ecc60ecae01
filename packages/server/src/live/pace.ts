/** When the server flushes its outboxes. */
export interface Pace {
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
  /** Runs at the end of this turn of the event loop. Returns a cancel function. */
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
    // A pending flush does not keep the process alive; open sockets do.
    const timer = setTimeout(work, ms).unref();
    return () => clearTimeout(timer);
  },
};
