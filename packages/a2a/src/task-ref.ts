import { createHash } from "node:crypto";

/** How the `msgId` of everything that a client does begins. */
export const PROTOCOL = "a2a:";

/** The message that begins a dialog, a later task in it, or belongs to the task that is open. */
export const MESSAGE = { first: `${PROTOCOL}new:`, later: `${PROTOCOL}on:`, within: `${PROTOCOL}to:` } as const;

/** A task: a dialog from a message on, until the next task begins in it. */
export interface TaskRef {
  readonly rootId: string;
  /** The `seq` of its first message; 0 for the first task of a dialog. */
  readonly from: number;
}

/** Undefined if it is no task's id. */
export function taskRef(id: string): TaskRef | undefined {
  const [, rootId, from] = /^([0-9a-f]{32})(?:-([1-9]\d{0,14}))?$/.exec(id) ?? [];
  return rootId === undefined ? undefined : { rootId, from: Number(from ?? 0) };
}

export const taskId = ({ rootId, from }: TaskRef): string => (from === 0 ? rootId : `${rootId}-${from}`);

/** A client's id for a message, as it stands in the log. */
export const loggedId = (messageId: string): string =>
  /^[\w.:@/-]{1,100}$/.test(messageId) ? messageId : `#${createHash("sha256").update(messageId).digest("hex").slice(0, 32)}`;

/** The client's own id of a message, if it was short enough to be kept. */
export function clientsId(msgId: string | undefined): string | undefined {
  const kind = Object.values(MESSAGE).find((start) => msgId?.startsWith(start));
  const id = kind === undefined ? undefined : msgId?.slice(kind.length);
  return id?.startsWith("#") ? undefined : id;
}
