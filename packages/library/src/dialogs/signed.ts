/** Who did it, and the sender's own name for it: the same one again has the effect of one. */
export interface Signed {
  readonly by?: string | undefined;
  readonly msgId?: string | undefined;
  /** Ends the waiting, not what was sent: that may have its effect all the same, and the same `msgId` again has the effect of one. */
  readonly signal?: AbortSignal | undefined;
}

export interface Receipt {
  readonly seq: number;
  /** What a busy agent is doing, for the one who wrote to it. */
  readonly ack?: string;
}

/** What a command carries of it. */
export const signature = ({ by = "owner", msgId }: Signed) => ({ by, ...(msgId !== undefined && { msgId }) });
