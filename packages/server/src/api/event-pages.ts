import { setImmediate } from "node:timers/promises";
import type { Project } from "@colloquy/library";
import { type DialogAddress, isMain, type Recorded, type TreeEvent } from "@colloquy/schema";
import { recordedOf } from "../recorded.ts";

/** Lines per read, and the most events that one request looks through. */
const MAX_LINES = 256;
const MAX_EVENTS_READ = 10_000;

export interface EventPage {
  readonly events: readonly Recorded[];
  /** Where to continue; absent at the end. */
  readonly next?: string;
}

/** The events after `after` and before `before`: as many as `limit` says, fewer if they are long. */
export async function pageAfter(
  project: Project,
  where: DialogAddress,
  { after, before, limit }: { readonly after: number; readonly before: number; readonly limit: number },
): Promise<EventPage> {
  const fits = fitting(where);
  const found: Recorded[] = [];
  let cursor = after;
  for (let looked = 0; looked < MAX_EVENTS_READ;) {
    const { lines, isFull } = await project.dialogs.eventsAfter(where.rootId, cursor, MAX_LINES);
    for (const one of lines.flatMap((line) => recordedOf(where.rootId, line))) {
      looked++;
      if (one.seq <= cursor) continue;
      if (one.seq >= before) return { events: found };
      if (found.length === limit) return { events: found, next: String(cursor) };
      cursor = one.seq;
      if (fits(one.event)) found.push(one);
    }
    if (!isFull && lines.length < MAX_LINES) return { events: found };
    if (isFull && found.length > 0) break;
    await setImmediate(); // Reading a short log does not leave the event loop.
  }
  return { events: found, next: String(cursor) };
}

/** The newest events before `before`, in order: as many as `limit` says, fewer if they are long. */
export async function pageBefore(
  project: Project,
  where: DialogAddress,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<EventPage> {
  const { rootId } = where;
  const fits = fitting(where);
  let found: readonly Recorded[] = [];
  let to = before;
  for (let looked = 0; to > 1 && looked < MAX_EVENTS_READ;) {
    const end = to;
    const { lines, isFull } = await project.dialogs.eventsBefore(rootId, end, Math.max(limit, MAX_LINES));
    const some = lines.flatMap((line) => recordedOf(rootId, line)).filter(({ seq }) => seq < end);
    if (some[0] === undefined) return { events: found };
    looked += some.length;
    found = [...some.filter(({ event }) => fits(event)), ...found];
    to = some[0].seq;
    if (found.length >= limit || (isFull && found.length > 0)) {
      const page = found.slice(-limit);
      const first = found.length > limit ? (page[0]?.seq ?? to) : to;
      return { events: page, ...(first > 1 && { next: String(first) }) };
    }
    await setImmediate(); // as above
  }
  return { events: found, ...(to > 1 && { next: String(to) }) };
}

/** A main dialog shows every event of its tree. An ask is recorded in the asker's dialog and belongs to both. */
const fitting =
  (where: DialogAddress) =>
  (event: TreeEvent): boolean =>
    isMain(where) || event.dialog === where.selfId || (event.type === "ask.opened" && event.to === where.selfId);
