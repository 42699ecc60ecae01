import type { Lane, Mark, Timeline } from "./timeline.ts";

/** The critical path: from the end back along the awaited marks, by lane and `seq`. */
export function criticalPath({ lanes, to, from }: Timeline): ReadonlySet<string> {
  const path = new Set<string>();
  const byId = new Map(lanes.map((lane) => [lane.id, lane]));
  const walk = (lane: Lane | undefined, end: number, begin: number, depth: number): void => {
    let at = end;
    for (let turns = 0; lane && at > begin && turns < 10_000 && depth < 64; turns++) {
      const until = at;
      const over = lane.marks.filter((mark) => mark.from < until && mark.to >= until && mark.kind !== "stopped");
      // Continue with the awaited mark that ended last.
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
