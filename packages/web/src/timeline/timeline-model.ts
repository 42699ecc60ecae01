import type { Recorded } from "@colloquy/schema";
import { type Lane, PEOPLE, type Timeline } from "./timeline.ts";
import { type DraftLane, TimelineDraft } from "./timeline-draft.ts";

type Event = Recorded["event"];
type Of<Type extends Event["type"]> = Extract<Event, { type: Type }>;
interface Place {
  readonly lane: string;
  readonly at: number;
  readonly seq: number;
}
type Draw<One> = (draft: TimelineDraft, event: One, place: Place) => void;

const drawCreated: Draw<Of<"dialog.created">> = (draft, { agent, title, side }, { lane, at }) =>
  draft.addLane({ id: lane, agent, title, asker: side?.asker, start: at });

const drawRenamed: Draw<Of<"dialog.renamed">> = (draft, { title }, { lane }) => {
  const one = draft.lanes.get(lane);
  if (one) one.title = title;
};

const drawStep: Draw<Of<"step.ended" | "step.cut">> = (draft, event, { lane, at, seq }) => {
  for (const part of event.parts) if ("call" in part) draft.tools.set(part.call, part.tool);
  const label = event.type === "step.ended" ? (event.model ?? "") : "";
  draft.mark(lane, { kind: "model", from: at - event.ms, to: at, seq, label });
};

const drawCall: Draw<Of<"call.ran" | "call.ended">> = (draft, { call, ms = 0 }, { lane, at, seq }) => {
  if (ms > 0) draft.mark(lane, { kind: "tool", from: at - ms, to: at, seq, label: draft.tools.get(call) ?? "" });
};

const drawMessage: Draw<Of<"message.added">> = (draft, _, { lane, at, seq }) =>
  draft.arrows.push({ kind: "reply", from: PEOPLE, to: lane, at, seq });

const drawAsk: Draw<Of<"ask.opened">> = (draft, { ask, recipient: whom, to, content }, { lane, at, seq }) => {
  draft.asks.set(ask, { lane, at, seq, whom, to, text: content.split("\n", 1)[0] ?? "" });
  draft.arrows.push({ kind: "ask", from: lane, to, at, seq });
};

const drawAskAnswered: Draw<Of<"ask.answered">> = (draft, event, { at, seq }) => {
  const ask = draft.asks.get(event.ask);
  if (!ask) return;
  draft.asks.delete(event.ask);
  draft.markAsk(ask, at);
  draft.arrows.push({ kind: "answer", from: ask.to, to: ask.lane, at, seq });
};

const drawQuestion: Draw<Of<"question.asked">> = (draft, { question: id, headline }, { lane, at, seq }) => {
  draft.people.set(id, { id, lane, headline, from: at, to: undefined, by: undefined, answer: undefined, seq });
  draft.arrows.push({ kind: "question", from: lane, to: PEOPLE, at, seq });
};

const drawClosed: Draw<Of<"question.closed">> = (draft, event, { at, seq }) => {
  const question = draft.people.get(event.question);
  if (!question) return;
  const answer = [...(event.choice ?? []), event.content ?? "", event.verdict ?? event.as].find((one) => one !== "");
  const closed = { ...question, to: at, by: event.by, answer };
  draft.people.set(event.question, closed);
  draft.markQuestion(closed, at);
  draft.arrows.push({ kind: "reply", from: PEOPLE, to: question.lane, at, seq });
};

const drawStopped: Draw<Of<"dialog.stopped">> = (draft, _, { lane, at, seq }) => draft.stops.set(lane, { at, seq });

const drawResumed: Draw<Of<"dialog.resumed">> = (draft, _, { lane, at }) => {
  draft.markStop(lane, at);
  draft.stops.delete(lane);
};

/** How each kind of event is drawn; others are not. */
const DRAWS: { readonly [Type in Event["type"]]?: Draw<Of<Type>> } = {
  "dialog.created": drawCreated,
  "dialog.renamed": drawRenamed,
  "dialog.stopped": drawStopped,
  "dialog.resumed": drawResumed,
  "dialog.died": (draft, _, { lane, at, seq }) => draft.flag(lane, { at, kind: "died", seq }),
  "course.started": (draft, _, { lane, at, seq }) => draft.flag(lane, { at, kind: "course", seq }),
  "step.ended": drawStep,
  "step.cut": drawStep,
  "call.ran": drawCall,
  "call.ended": drawCall,
  "message.added": drawMessage,
  "ask.opened": drawAsk,
  "ask.answered": drawAskAnswered,
  "question.asked": drawQuestion,
  "question.closed": drawClosed,
};

/** A tree's lanes and marks, from its events. Open marks last until `now`. */
export function timeline(events: readonly Recorded[], now: number): Timeline {
  const draft = new TimelineDraft();
  for (const { event, seq, at: time } of events) {
    const place = { lane: event.dialog as string, at: Date.parse(time), seq };
    // The dialog's beginning may not be loaded.
    if (!draft.lanes.has(place.lane) && "agent" in event && event.agent !== undefined)
      draft.addLane({ id: place.lane, agent: event.agent, start: place.at });
    (DRAWS[event.type] as Draw<Event> | undefined)?.(draft, event, place);
  }
  const isOpen = draft.close(now);
  const lanes = inTreeOrder(draft.lanes);
  const ends = lanes.flatMap(({ marks }) => marks.map(({ to }) => to));
  const begins = lanes.flatMap(({ start, marks }) => [start, ...marks.map(({ from }) => from)]);
  const lastAt = events.at(-1)?.at;
  return {
    lanes,
    people: [...draft.people.values()],
    arrows: draft.arrows,
    from: begins.reduce((least, one) => Math.min(least, one), begins[0] ?? now),
    to: Math.max(
      isOpen ? now : 0,
      ends.reduce((most, one) => Math.max(most, one), 0),
      lastAt === undefined ? now : Date.parse(lastAt),
    ),
  };
}

/** Side dialogs under their asker, in the order of asking. */
function inTreeOrder(lanes: ReadonlyMap<string, DraftLane>): readonly Lane[] {
  const below = new Map<string | undefined, DraftLane[]>();
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
