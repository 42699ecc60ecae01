import type { Line, Recorded, RootId, TreeEvent } from "@colloquy/schema";

/** A log line's events in wire format. */
export function recordedOf(rootId: RootId, { pos, seq, at, events }: Line<TreeEvent>): readonly Recorded[] {
  return events.map((event, nth) => ({
    seq: seq + nth,
    pos,
    at,
    dialog: { rootId, selfId: event.dialog },
    event,
    last: nth === events.length - 1,
  }));
}
