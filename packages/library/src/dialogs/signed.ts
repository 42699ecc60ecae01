/** Who did it, and the sender's id for it: repeating the id has no further effect. */
export interface Signed {
  readonly by?: string | undefined;
  readonly msgId?: string | undefined;
  /** Ends only the waiting. The command may still take effect; repeat it with the same `msgId` to be sure. */
  readonly signal?: AbortSignal | undefined;
}

export interface Receipt {
  readonly seq: number;
  /** What a busy agent is doing, for the sender of a message to it. */
  readonly ack?: string;
}

/** The part that is recorded with a command. */
export const signature = ({ by = "owner", msgId }: Signed) => ({ by, ...(msgId !== undefined && { msgId }) });
