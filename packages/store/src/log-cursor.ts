/** A durable position in the log, for a program that follows it. One process at a time has it. */
export interface LogCursor {
  /** Takes it, or keeps it. `undefined`: another process has it. `pos` is absent until it was saved once. */
  claim(): Promise<{ readonly pos: number | undefined } | undefined>;
  /** Durable once resolved. False: another process has it now, and nothing was changed. */
  save(pos: number): Promise<boolean>;
  /** Another process may claim it at once. */
  release(): Promise<void>;
}
