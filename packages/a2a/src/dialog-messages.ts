import type { Line, TreeEvent, TreeEventOf } from "@colloquy/schema";
import { loggedId, MESSAGE, type TaskRef } from "./task-ref.ts";

type Lines = readonly Line<TreeEvent>[];

/** A message of a main dialog, with its place in the log. */
interface Placed {
  readonly seq: number;
  readonly message: TreeEventOf<"message.added">;
}

function* messagesIn(lines: Lines, rootId: string): Generator<Placed> {
  for (const { seq, events } of lines)
    for (const [nth, event] of events.entries())
      if (event.type === "message.added" && event.dialog === rootId) yield { seq: seq + nth, message: event };
}

const begins = ({ message }: Placed): boolean => message.msgId?.startsWith(MESSAGE.later) ?? false;

/** A client's message that is in the dialog already. */
export function sentAlready(lines: Lines, rootId: string, messageId: string): Placed | undefined {
  const ids = new Set(Object.values(MESSAGE).map((start) => start + loggedId(messageId)));
  for (const placed of messagesIn(lines, rootId)) if (placed.message.msgId !== undefined && ids.has(placed.message.msgId)) return placed;
  return undefined;
}

/** The task that the dialog was in at a place of its log. */
export function taskAt(lines: Lines, rootId: string, seq: number): TaskRef {
  let from = 0;
  for (const placed of messagesIn(lines, rootId)) if (placed.seq <= seq && begins(placed)) from = placed.seq;
  return { rootId, from };
}

/** The `seq` of the message that begins the task after this one. */
export function nextTask(lines: Lines, { rootId, from }: TaskRef): number | undefined {
  for (const placed of messagesIn(lines, rootId)) if (placed.seq > from && begins(placed)) return placed.seq;
  return undefined;
}
