import type { Arrow, Decision, Lane, Mark } from "./timeline.ts";

/** A lane while it is made. */
export interface DraftLane {
  readonly id: string;
  readonly agent: string;
  title: string;
  readonly asker: string | undefined;
  readonly start: number;
  readonly marks: Mark[];
  readonly flags: Lane["flags"][number][];
}

interface OpenAsk {
  readonly lane: string;
  readonly at: number;
  readonly seq: number;
  readonly whom: string;
  readonly to: string;
  readonly text: string;
}

/** A mark without what most marks lack. */
type NewMark = Omit<Mark, "whom" | "serves" | "label"> & Partial<Mark>;

/** A timeline while it is made: its lanes, and what has begun but not ended. */
export class TimelineDraft {
  readonly lanes = new Map<string, DraftLane>();
  readonly people = new Map<string, Decision>();
  readonly arrows: Arrow[] = [];
  readonly asks = new Map<string, OpenAsk>();
  readonly stops = new Map<string, { readonly at: number; readonly seq: number }>();
  /** Names of tools, by call. */
  readonly tools = new Map<string, string>();

  addLane(lane: Pick<DraftLane, "id" | "agent" | "start"> & Partial<DraftLane>): void {
    this.lanes.set(lane.id, { title: "", asker: undefined, marks: [], flags: [], ...lane });
  }

  mark(lane: string, mark: NewMark): void {
    this.lanes.get(lane)?.marks.push({ label: "", whom: undefined, serves: undefined, ...mark });
  }

  flag(lane: string, flag: Lane["flags"][number]): void {
    this.lanes.get(lane)?.flags.push(flag);
  }

  markAsk({ lane, at, seq, text, whom, to: serves }: OpenAsk, until: number): void {
    this.mark(lane, { kind: "waitAgent", from: at, to: until, seq, label: text, whom, serves });
  }

  markQuestion({ lane, from, seq, headline, by }: Decision, until: number): void {
    this.mark(lane, { kind: "waitPerson", from, to: until, seq, label: headline, whom: by });
  }

  markStop(lane: string, until: number): void {
    const stop = this.stops.get(lane);
    if (stop) this.mark(lane, { kind: "stopped", from: stop.at, to: until, seq: stop.seq });
  }

  /** What has not ended lasts until now. Returns whether there is anything. */
  close(now: number): boolean {
    const open = [...this.people.values()].filter(({ to }) => to === undefined);
    for (const ask of this.asks.values()) this.markAsk(ask, now);
    for (const question of open) this.markQuestion(question, now);
    for (const lane of this.stops.keys()) this.markStop(lane, now);
    return this.asks.size > 0 || this.stops.size > 0 || open.length > 0;
  }
}
