import { type Decision, refuse } from "./decision.ts";
import type { PersistentMap } from "./persistent-map.ts";
import { receiptKey } from "./tree.ts";

/** A command to the project that was carried out. */
export interface ProjectReceipt {
  /** The id of what it made or changed. */
  readonly id: string;
  readonly hash: string;
  readonly at: number;
}

/** The project's memory of commands. */
export interface Remembering {
  readonly receipts: Pick<PersistentMap<ProjectReceipt>, "get" | "has">;
}

/** The sender. The `msgId` is the sender's, for one command in the whole project. */
export interface SignedCommand {
  readonly by: string;
  readonly msgId?: string | undefined;
}

/** A sender without a receipt repeats its command, which has already happened; another command under that `msgId` is refused. */
export function repeatedCommand(
  { receipts }: Remembering,
  { by, msgId }: SignedCommand,
  fingerprint: string,
): { readonly ok: true; readonly id: string } | Extract<Decision<never>, { ok: false }> | undefined {
  const before = msgId === undefined ? undefined : receipts.get(receiptKey(by, msgId));
  if (!before) return undefined;
  return before.hash === fingerprint ? { ok: true, id: before.id } : msgIdReused(msgId);
}

/** A command to a dialog, under an id already used for one to the project. */
export const refuseUsed = ({ receipts }: Remembering, { by, msgId }: SignedCommand) =>
  msgId !== undefined && receipts.has(receiptKey(by, msgId)) ? msgIdReused(msgId) : undefined;

const msgIdReused = (msgId: string | undefined) =>
  refuse("msg_id_reused", `The msgId "${msgId}" was used for something else before. Use a new one for each command.`);

/** What an event keeps of it. */
export const receiptOf = ({ msgId }: SignedCommand, fingerprint: string) => (msgId === undefined ? {} : { msgId, hash: fingerprint });
