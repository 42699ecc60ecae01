import type { Recorded } from "@colloquy/schema";

export type MarkKind = "model" | "tool" | "waitAgent" | "waitPerson" | "stopped";

/** Something that took time in a lane. */
export interface Mark {
  readonly kind: MarkKind;
  readonly from: number;
  readonly to: number;
  readonly seq: number;
  readonly label: string;
  /** The one awaited. */
  readonly whom: string | undefined;
  /** The dialog that serves what is awaited. */
  readonly serves: string | undefined;
}

export interface Lane {
  readonly id: string;
  readonly agent: string;
  readonly title: string;
  readonly depth: number;
  readonly start: number;
  readonly marks: readonly Mark[];
  /** Moments: new courses, ends. */
  readonly flags: readonly { readonly at: number; readonly kind: "course" | "died"; readonly seq: number }[];
}

export interface Arrow {
  readonly kind: "ask" | "answer" | "question" | "reply";
  readonly from: string;
  readonly to: string;
  readonly at: number;
  readonly seq: number;
}

export interface Decision {
  readonly id: string;
  readonly lane: string;
  readonly headline: string;
  readonly from: number;
  readonly to: number | undefined;
  readonly by: string | undefined;
  readonly answer: string | undefined;
  readonly seq: number;
}

export interface Timeline {
  readonly lanes: readonly Lane[];
  readonly people: readonly Decision[];
  readonly arrows: readonly Arrow[];
  readonly from: number;
  readonly to: number;
}

export const PEOPLE = "people";

interface Building {
  readonly id: string;
  readonly agent: string;
  title: string;
  readonly asker: string | undefined;
  readonly start: number;
  readonly marks: Mark[];
  readonly flags: Lane["flags"][number][];
}

/** What a tree did and when, from its events. Whatever is still open lasts until `now`. */
export function timeline(events: readonly Recorded[], now: number): Timeline {
  const lanes = new Map<string, Building>();
  const people = new Map<string, Decision>();
  const asks = new Map<
    string,
    { readonly lane: string; readonly at: number; readonly seq: number; readonly whom: string; readonly to: string; readonly text: string }
  >();
  const stops = new Map<string, { readonly at: number; readonly seq: number }>();
  const tools = new Map<string, string>();
  const arrows: Arrow[] = [];
  const add = (lane: string, mark: Mark) => lanes.get(lane)?.marks.push(mark);

  for (const { event, seq, at: time } of events) {
    const at = Date.parse(time);
    const lane = event.dialog as string;
    if (!lanes.has(lane) && "agent" in event && event.agent !== undefined && event.type !== "dialog.created") {
      lanes.set(lane, { id: lane, agent: event.agent, title: "", asker: undefined, start: at, marks: [], flags: [] });
    }
    switch (event.type) {
      case "dialog.created":
        lanes.set(lane, { id: lane, agent: event.agent, title: event.title, asker: event.side?.asker, start: at, marks: [], flags: [] });
        break;
      case "dialog.renamed": {
        const one = lanes.get(lane);
        if (one) one.title = event.title;
        break;
      }
      case "step.ended":
      case "step.cut":
        for (const part of event.parts) if ("call" in part) tools.set(part.call, part.tool);
        add(lane, {
          kind: "model",
          from: at - event.ms,
          to: at,
          seq,
          label: event.type === "step.ended" ? (event.model ?? "") : "",
          whom: undefined,
          serves: undefined,
        });
        break;
      case "call.ran":
      case "call.ended":
        if (event.ms !== undefined && event.ms > 0)
          add(lane, {
            kind: "tool",
            from: at - event.ms,
            to: at,
            seq,
            label: tools.get(event.call) ?? "",
            whom: undefined,
            serves: undefined,
          });
        break;
      case "message.added":
        arrows.push({ kind: "reply", from: PEOPLE, to: lane, at, seq });
        break;
      case "ask.opened":
        asks.set(event.ask, { lane, at, seq, whom: event.recipient, to: event.to, text: event.content.split("\n", 1)[0] ?? "" });
        arrows.push({ kind: "ask", from: lane, to: event.to, at, seq });
        break;
      case "ask.answered": {
        const ask = asks.get(event.ask);
        if (!ask) break;
        asks.delete(event.ask);
        add(ask.lane, { kind: "waitAgent", from: ask.at, to: at, seq: ask.seq, label: ask.text, whom: ask.whom, serves: ask.to });
        arrows.push({ kind: "answer", from: ask.to, to: ask.lane, at, seq });
        break;
      }
      case "question.asked":
        people.set(event.question, {
          id: event.question,
          lane,
          headline: event.headline,
          from: at,
          to: undefined,
          by: undefined,
          answer: undefined,
          seq,
        });
        arrows.push({ kind: "question", from: lane, to: PEOPLE, at, seq });
        break;
      case "question.closed": {
        const question = people.get(event.question);
        if (!question) break;
        const answer = [...(event.choice ?? []), event.content ?? "", event.verdict ?? event.as].find((one) => one !== "");
        people.set(event.question, { ...question, to: at, by: event.by, answer });
        add(question.lane, {
          kind: "waitPerson",
          from: question.from,
          to: at,
          seq: question.seq,
          label: question.headline,
          whom: event.by,
          serves: undefined,
        });
        arrows.push({ kind: "reply", from: PEOPLE, to: question.lane, at, seq });
        break;
      }
      case "dialog.stopped":
        stops.set(lane, { at, seq });
        break;
      case "dialog.resumed": {
        const stop = stops.get(lane);
        if (stop) add(lane, { kind: "stopped", from: stop.at, to: at, seq: stop.seq, label: "", whom: undefined, serves: undefined });
        stops.delete(lane);
        break;
      }
      case "course.started":
        lanes.get(lane)?.flags.push({ at, kind: "course", seq });
        break;
      case "dialog.died":
        lanes.get(lane)?.flags.push({ at, kind: "died", seq });
        break;
      default:
        break;
    }
  }
  for (const ask of asks.values())
    add(ask.lane, { kind: "waitAgent", from: ask.at, to: now, seq: ask.seq, label: ask.text, whom: ask.whom, serves: ask.to });
  for (const question of people.values()) {
    if (question.to === undefined)
      add(question.lane, {
        kind: "waitPerson",
        from: question.from,
        to: now,
        seq: question.seq,
        label: question.headline,
        whom: undefined,
        serves: undefined,
      });
  }
  for (const [lane, stop] of stops)
    add(lane, { kind: "stopped", from: stop.at, to: now, seq: stop.seq, label: "", whom: undefined, serves: undefined });

  const ordered = inTreeOrder(lanes);
  const isOpen = asks.size > 0 || stops.size > 0 || [...people.values()].some(({ to }) => to === undefined);
  const ends = ordered.flatMap(({ marks }) => marks.map(({ to }) => to));
  const begins = ordered.flatMap(({ start, marks }) => [start, ...marks.map(({ from }) => from)]);
  return {
    lanes: ordered,
    people: [...people.values()],
    arrows,
    from: begins.length > 0 ? begins.reduce((least, one) => Math.min(least, one)) : now,
    to: Math.max(
      isOpen ? now : 0,
      ends.reduce((most, one) => Math.max(most, one), 0),
      events.length > 0 ? Date.parse(events.at(-1)?.at ?? "") : now,
    ),
  };
}

/** Side dialogs under their asker, in the order of asking. */
function inTreeOrder(lanes: ReadonlyMap<string, Building>): readonly Lane[] {
  const below = new Map<string | undefined, Building[]>();
  for (const lane of lanes.values()) {
    const asker = lane.asker !== undefined && lanes.has(lane.asker) ? lane.asker : undefined;
    below.set(asker, [...(below.get(asker) ?? []), lane]);
  }
  const walk = (asker: string | undefined, depth: number): readonly Lane[] =>
    (below.get(asker) ?? []).flatMap(({ id, agent, title, start, marks, flags }) => [
      { id, agent, title, depth, start, marks: marks.toSorted((a, b) => a.from - b.from), flags },
      ...walk(id, depth + 1),
    ]);
  return walk(undefined, 0);
}

/** A stretch of the axis; where nobody works, it is folded. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly left: number;
  readonly width: number;
  readonly isFolded: boolean;
}

export const FOLD_PX = 64;
const MIN_FOLD_MS = 20_000;
const SHARE = 0.04;
const PAD_MS = 400;

/** Where time stands on the axis. Folded: every gap in which no lane works is as wide as its label, however long it took. */
export function axis({ lanes, from, to }: Timeline, width: number, zoom: number, isFolded: boolean): readonly Stretch[] {
  const span = Math.max(1, to - from);
  const least = Math.max(MIN_FOLD_MS, span * SHARE);
  const work = lanes
    .flatMap(({ marks, start }) => [{ from: start, to: start + 1 }, ...marks.filter(({ kind }) => kind === "model" || kind === "tool")])
    .toSorted((a, b) => a.from - b.from);
  const gaps: { from: number; to: number }[] = [];
  let busyTo = from;
  for (const mark of work) {
    if (isFolded && mark.from - busyTo > least) gaps.push({ from: busyTo + PAD_MS, to: mark.from - PAD_MS });
    busyTo = Math.max(busyTo, mark.to);
  }
  if (isFolded && to - busyTo > least) gaps.push({ from: busyTo + PAD_MS, to });
  const shown = span - gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  const scale = (Math.max(120, width - gaps.length * FOLD_PX) / Math.max(1, shown)) * zoom;
  const stretches: Stretch[] = [];
  let left = 0;
  let at = from;
  const push = (until: number, isFold: boolean) => {
    if (until <= at) return;
    const wide = isFold ? FOLD_PX : (until - at) * scale;
    stretches.push({ from: at, to: until, left, width: wide, isFolded: isFold });
    left += wide;
    at = until;
  };
  for (const gap of gaps) {
    push(gap.from, false);
    push(gap.to, true);
  }
  push(to, false);
  return stretches;
}

export function placeOf(stretches: readonly Stretch[], time: number): number {
  const last = stretches.at(-1);
  if (!last) return 0;
  const one = stretches.find((stretch) => time <= stretch.to) ?? last;
  const share = Math.min(1, Math.max(0, (time - one.from) / Math.max(1, one.to - one.from)));
  return one.left + share * one.width;
}

export interface Tick {
  readonly at: number;
  readonly x: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Steps in which people count time. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((count) => count * DAY),
];
const TICK_PX = 90;
const MIN_TICK_PX = 70;

/**
 * Clock times on the axis: round ones, as close as their labels allow, and where a stretch begins, if there is room before the
 * first round one. `offset`: what local time is behind UTC, so that days begin at midnight.
 */
export function ticksOn(stretches: readonly Stretch[], offset = 0): { readonly step: number; readonly ticks: readonly Tick[] } {
  const open = stretches.filter(({ isFolded, width }) => !isFolded && width > 0);
  const msPerPx = open.reduce((most, { from, to, width }) => Math.max(most, (to - from) / width), 0);
  const step = STEPS.find((one) => one >= msPerPx * TICK_PX) ?? STEPS.at(-1) ?? DAY;
  const ticks: Tick[] = [];
  for (const { from, to, left, width } of open) {
    const place = (at: number) => left + (width * (at - from)) / Math.max(1, to - from);
    const first = Math.ceil((from - offset) / step) * step + offset;
    const isRoomBefore = first > to || place(first) - left >= MIN_TICK_PX;
    const isRoomBehind = left - (ticks.at(-1)?.x ?? -MIN_TICK_PX) >= MIN_TICK_PX;
    if (isRoomBefore && isRoomBehind) ticks.push({ at: from, x: left });
    for (let at = first; at <= to; at += step)
      if (place(at) - (ticks.at(-1)?.x ?? -MIN_TICK_PX) >= MIN_TICK_PX) ticks.push({ at, x: place(at) });
  }
  return { step, ticks };
}

/** Which time stands at a place of the axis. */
export function timeAt(stretches: readonly Stretch[], x: number): number {
  const one = stretches.find(({ left, width }) => x <= left + width) ?? stretches.at(-1);
  if (!one) return 0;
  const share = Math.min(1, Math.max(0, (x - one.left) / Math.max(1, one.width)));
  return one.from + share * (one.to - one.from);
}

/** The chain of whoever was waited for, from the end backwards: what the whole took its time for. By lane and `seq` of the mark. */
export function criticalPath({ lanes, to, from }: Timeline): ReadonlySet<string> {
  const path = new Set<string>();
  const byId = new Map(lanes.map((lane) => [lane.id, lane]));
  const walk = (lane: Lane | undefined, end: number, begin: number, depth: number): void => {
    let at = end;
    for (let turns = 0; lane && at > begin && turns < 10_000 && depth < 64; turns++) {
      const until = at;
      const over = lane.marks.filter((mark) => mark.from < until && mark.to >= until && mark.kind !== "stopped");
      // Of those who were waited for, the one who kept it longest is at the end.
      const mark = over.find(({ kind }) => kind === "model" || kind === "tool") ?? over.toSorted((a, b) => b.to - a.to)[0];
      const earlier = lane.marks
        .filter((one) => one.to < until)
        .reduce<Mark | undefined>((latest, one) => (latest && latest.to >= one.to ? latest : one), undefined);
      if (!mark) {
        if (!earlier) return;
        at = earlier.to;
        continue;
      }
      path.add(`${lane.id} ${mark.seq}`);
      if (mark.kind === "waitAgent" && mark.serves !== undefined) walk(byId.get(mark.serves), until, mark.from, depth + 1);
      at = mark.from;
    }
  };
  walk(lanes[0], to, from, 0);
  return path;
}
