/** Exit codes for the calling program. */
export const ExitCode = {
  done: 0,
  /** Refused, failed or stopped; the reason is on standard error. */
  refused: 1,
  usage: 2,
  notFound: 3,
  /** Waiting for a person: a question, an approval, a limit. */
  waiting: 4,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
