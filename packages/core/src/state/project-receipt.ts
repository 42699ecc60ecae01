import { type Decision, refuse } from "./decision.ts";
import type { PersistentMap } from "./persistent-map.ts";
import { receiptKey } from "./tree.ts";

/** Proof that a command to the project was carried out. */
export interface ProjectReceipt {
  /** The id of what the command created or changed. */
  readonly id: string;
  readonly hash: string;
  readonly at: number;
}

/** The part of the project that remembers commands. */
export interface Remembering {
  readonly receipts: Pick<PersistentMap<ProjectReceipt>, "get" | "has">;
}

/** Who sent the command. A `msgId` identifies one command of its sender in the whole project. */
export interface SignedCommand {
  readonly by: string;
  readonly msgId?: string | undefined;
}

/**
 * Finds the receipt of a command that a sender repeats because it never got the reply. Reusing its `msgId` for another command is refused.
 */
export function repeatedCommand(
  { receipts }: Remembering,
  { by, msgId }: SignedCommand,
  fingerprint: string,
): { readonly ok: true; readonly id: string } | Extract<Decision<never>, { ok: false }> | undefined {
  const before = msgId === undefined ? undefined : receipts.get(receiptKey(by, msgId));
  if (!before) return undefined;
  return before.hash === fingerprint ? { ok: true, id: before.id } : msgIdReused(msgId);
}

/** Refuses a command to a dialog if its `msgId` was used for a command to the project. */
export const refuseUsed = ({ receipts }: Remembering, { by, msgId }: SignedCommand) =>
  msgId !== undefined && receipts.has(receiptKey(by, msgId)) ? msgIdReused(msgId) : undefined;

const msgIdReused = (msgId: string | undefined) =>
  refuse("msg_id_reused", `The msgId "${msgId}" was already used for another command. Use a new one for each command.`);

/** The fields that make an event remember its command. */
export const receiptOf = ({ msgId }: SignedCommand, fingerprint: string) => (msgId === undefined ? {} : { msgId, hash: fingerprint });
