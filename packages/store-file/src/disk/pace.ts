/** When the store does what it does: its own time, and work for later. */
export interface Pace {
  /** In milliseconds that only ever grow. */
  readonly nowMs: () => number;
  /** Once what has come together by now has been taken in. */
  readonly soon: (work: () => void) => void;
  /** Returns the way to call it off. */
  readonly later: (ms: number, work: () => void) => () => void;
}

export const realPace: Pace = {
  nowMs: () => performance.now(),
  soon: (work) => void setImmediate(work),
  later(ms, work) {
    // It keeps no process alive: whatever it would do, the journal holds it.
    const timer = setTimeout(work, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** Lets others come in between. */
export const aMoment = (pace: Pace): Promise<void> => new Promise((go) => pace.soon(go));
