const SOON_MS = 3_600_000;

/** The fields of a question that its order in the inbox depends on. */
export interface Urgency {
  readonly deadline?: string | undefined;
  /** How many dialogs wait for it. */
  readonly waitingBehind: number;
  readonly askedAt: string;
}

/** Due within the hour first, then by the number of waiting dialogs, then the oldest. */
export const byUrgency =
  (nowMs: number) =>
  (a: Urgency, b: Urgency): number => {
    const soon = ({ deadline }: Urgency) => (deadline !== undefined && Date.parse(deadline) <= nowMs + SOON_MS ? 0 : 1);
    return soon(a) - soon(b) || b.waitingBehind - a.waitingBehind || (a.askedAt < b.askedAt ? -1 : 1);
  };
