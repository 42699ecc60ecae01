import type { Entry, Line, RootId, TreeEvent } from "@colloquy/schema";

/** The tokens that models read and wrote, and their cost. */
export interface UsageRow {
  /** An agent, a day, or a main dialog's id. */
  readonly key: string;
  readonly steps: number;
  readonly input: number;
  readonly output: number;
  /** The share of `input` that came from a cache. */
  readonly cachedInput: number;
  /** In dollars; absent if none of it had a price. */
  readonly cost?: number;
  /** Steps with an unknown price, which are not in `cost`. */
  readonly unpriced: number;
  /** Steps whose tokens are estimated. */
  readonly estimated: number;
}

export type UsageBy = "agent" | "day" | "dialog";

/** A model call: for a step, a title or a busy reply. */
type Step = Pick<Extract<TreeEvent, { type: "step.ended" }>, "dialog" | "usage" | "cost"> & { readonly agent: string };
type KeyOf = (step: Step, at: string) => string | undefined;

/** Adds up the steps of a log by a key; those without a key are left out. `before`: rows to continue from. */
export function foldUsage(
  lines: readonly Line<TreeEvent>[],
  keyOf: KeyOf,
  before: ReadonlyMap<string, UsageRow> = new Map(),
): ReadonlyMap<string, UsageRow> {
  const rows = new Map(before);
  for (const { at, events } of lines) {
    for (const event of events) {
      const step = stepOf(event);
      const key = step && keyOf(step, at);
      if (step && key !== undefined) rows.set(key, withStep(rows.get(key) ?? emptyUsage(key), step));
    }
  }
  return rows;
}

function stepOf(event: TreeEvent): Step | undefined {
  if (event.type === "step.ended") return event;
  if (event.type === "message.acknowledged") return event.usage && event;
  return event.type === "dialog.renamed" && event.usage ? { ...event, agent: "(titles)" } : undefined;
}

export const emptyUsage = (key: string): UsageRow => ({ key, steps: 0, input: 0, output: 0, cachedInput: 0, unpriced: 0, estimated: 0 });

function withStep(row: UsageRow, { usage, cost }: Step): UsageRow {
  const total = cost === undefined ? row.cost : (row.cost ?? 0) + cost;
  return {
    key: row.key,
    steps: row.steps + 1,
    input: row.input + (usage?.input ?? 0),
    output: row.output + (usage?.output ?? 0),
    cachedInput: row.cachedInput + (usage?.cachedInput ?? 0),
    ...(total !== undefined && { cost: total }),
    unpriced: row.unpriced + (cost === undefined ? 1 : 0),
    estimated: row.estimated + (usage?.estimated ? 1 : 0),
  };
}

/** The parts of an open project from which usage is read. */
export interface UsageSource {
  list(): readonly Entry[];
  events(rootId: RootId): Promise<readonly Line<TreeEvent>[]>;
}

/** Reads the logs of all trees, one after the other. A log that cannot be read is named and left out. */
export async function readUsage(
  source: UsageSource,
  by: UsageBy,
): Promise<{ readonly rows: readonly UsageRow[]; readonly unread: readonly RootId[] }> {
  let rows: ReadonlyMap<string, UsageRow> = new Map();
  const unread: RootId[] = [];
  for (const { rootId, copied } of source.list()) {
    // What a copy's past used was used in the original.
    const from = copied?.seq ?? 0;
    const keyOf: KeyOf = by === "agent" ? (step) => step.agent : by === "day" ? (_, at) => localDay(at) : () => rootId;
    try {
      const lines = await source.events(rootId);
      rows = foldUsage(
        lines.filter(({ seq }) => seq >= from),
        keyOf,
        rows,
      );
    } catch {
      // A damaged log stops nothing but its own dialog; doctor says more about it.
      unread.push(rootId);
    }
  }
  return { rows: [...rows.values()], unread };
}

/** The day in the process's time zone. */
function localDay(iso: string): string {
  const at = new Date(iso);
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((number) => String(number).padStart(2, "0")).join("-");
}
