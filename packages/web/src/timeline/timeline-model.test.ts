import type { Recorded } from "@colloquy/schema";
import { expect, test } from "vitest";
import { criticalPath } from "./critical-path.ts";
import { axis, FOLD_PX, placeOf, ticksOn, timeAt } from "./time-scale.ts";
import { timeline } from "./timeline-model.ts";

const start = Date.UTC(2026, 0, 1, 12);
const DAY_S = 86_400;
const story = (events: readonly (readonly [second: number, event: Record<string, unknown>])[]): readonly Recorded[] =>
  events.map(
    ([second, event], nth) =>
      ({
        seq: nth + 1,
        at: new Date(start + second * 1_000).toISOString(),
        event: { dialog: "m", agent: "lead", course: 1, ...event },
      }) as unknown as Recorded,
  );
const step = (ms: number, over = {}) => ({ type: "step.ended", parts: [], ms, ...over });

/** Lead asks coder, who asks a person; three days later the answer comes. */
const events = story([
  [0, { type: "dialog.created", title: "Orders" }],
  [5, step(4_000)],
  [5, { type: "dialog.created", dialog: "s", agent: "coder", title: "schema", side: { asker: "m" } }],
  [5, { type: "ask.opened", ask: "a", to: "s", recipient: "coder", content: "Schema?" }],
  [9, step(3_000, { dialog: "s", agent: "coder" })],
  [9, { type: "question.asked", dialog: "s", agent: "coder", question: "q", headline: "Which database?" }],
  [3 * DAY_S, { type: "question.closed", dialog: "s", agent: "coder", question: "q", as: "answered", choice: ["SQLite"], by: "anna" }],
  [3 * DAY_S + 5, step(4_000, { dialog: "s", agent: "coder" })],
  [3 * DAY_S + 5, { type: "ask.answered", ask: "a", content: "SQLite it is" }],
  [3 * DAY_S + 9, step(3_000)],
]);
const model = timeline(events, start + 4 * DAY_S * 1_000);

test("[U7] each dialog has a lane below its asker's; asks and answers are arrows, waiting is a mark", () => {
  expect(model.lanes.map(({ id, depth }) => [id, depth])).toEqual([
    ["m", 0],
    ["s", 1],
  ]);
  expect(model.arrows.map(({ kind, from, to }) => `${kind} ${from} ${to}`)).toEqual([
    "ask m s",
    "question s people",
    "reply people s",
    "answer s m",
  ]);
  expect(model.lanes[0]?.marks.map(({ kind }) => kind)).toEqual(["model", "waitAgent", "model"]);
  expect(model.lanes[1]?.marks.map(({ kind }) => kind)).toEqual(["model", "waitPerson", "model"]);
  expect(model.people).toMatchObject([{ headline: "Which database?", by: "anna", answer: "SQLite" }]);
});

test("[U7] idle time is folded, or shown to scale", () => {
  const stretches = axis(model, 1_000, 1, true);
  expect(stretches.map(({ isFolded }) => isFolded)).toEqual([false, true, false]);
  expect(stretches[1]?.width).toBe(FOLD_PX);
  expect(placeOf(stretches, model.to)).toBeCloseTo(1_000, 0);
  expect(axis(model, 1_000, 1, false)).toHaveLength(1);
});

test("[U7] positions increase with time", () => {
  const stretches = axis(model, 800, 2, true);
  const times = Array.from({ length: 50 }, (_, nth) => model.from + ((model.to - model.from) * nth) / 49);
  const places = times.map((time) => placeOf(stretches, time));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  places.forEach((place, nth) => expect(placeOf(stretches, timeAt(stretches, place))).toBeCloseTo(places[nth] ?? 0, 3));
});

test("[U7] the critical path leads backwards through the dialogs that were waited for", () => {
  expect([...criticalPath(model)].toSorted()).toEqual(["m 10", "m 2", "m 4", "s 5", "s 6", "s 8"].toSorted());
});

test("[U7] an open item lasts until now", () => {
  const now = start + 60_000;
  const open = timeline(events.slice(0, 6), now);
  expect(open.lanes[1]?.marks.at(-1)).toMatchObject({ kind: "waitPerson", to: now });
  expect(open.to).toBe(now);
});

test("[U7] 200 dialogs with 5,000 events take one pass", () => {
  const many = story(
    Array.from({ length: 5_000 }, (_, nth) =>
      nth < 200
        ? [nth, { type: "dialog.created", dialog: `d${nth}`, title: "", ...(nth > 0 && { side: { asker: "d0" } }) }]
        : [nth, step(500, { dialog: `d${nth % 200}` })],
    ),
  );
  expect(timeline(many, start).lanes).toHaveLength(200);
});

test("[U7] axis labels are round times that never overlap or repeat", () => {
  const clock = (at: number) => new Date(at).toISOString().slice(11, 19);
  for (const zoom of [1, 3, 20, 200]) {
    const { step, ticks } = ticksOn(axis(model, 1_000, zoom, true));
    const labels = ticks.map(({ at }) => new Date(at).toISOString().slice(0, 19));
    expect(new Set(labels).size).toBe(labels.length);
    for (const [nth, { x }] of ticks.slice(1).entries()) expect(x - (ticks[nth]?.x ?? 0)).toBeGreaterThanOrEqual(70);
    expect(ticks.filter(({ at }) => at % step !== 0).length).toBeLessThanOrEqual(3); // where a stretch begins
  }
  const minute = ticksOn([{ from: start + 700, to: start + 10_700, left: 0, width: 1_000, isFolded: false }]);
  expect(minute.ticks.map(({ at }) => clock(at)).slice(0, 3)).toEqual(["12:00:01", "12:00:02", "12:00:03"]);
  // Days begin at local midnight.
  const days = ticksOn([{ from: start, to: start + 10 * DAY_S * 1_000, left: 0, width: 1_000, isFolded: false }], -3_600_000);
  expect(days.ticks.slice(1).map(({ at }) => clock(at))).toContain("23:00:00");
});
