/** The store's clock and timers. */
export interface Pace {
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
  /** After everything that has arrived by now was processed. */
  readonly soon: (work: () => void) => void;
  /** Returns a cancel function. */
  readonly later: (ms: number, work: () => void) => () => void;
}

export const realPace: Pace = {
  nowMs: () => performance.now(),
  soon: (work) => void setImmediate(work),
  later(ms, work) {
    // It keeps no process alive: the journal holds whatever it would do.
    const timer = setTimeout(work, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** Lets other work run in between. */
export const aMoment = (pace: Pace): Promise<void> => new Promise((go) => pace.soon(go));
