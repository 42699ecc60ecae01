import type { CallRow, CallsRow, Row } from "./rows.ts";

/** Runs of at least this many finished calls are folded into one line. */
const FOLDED_FROM = 4;

/** Its changes are in the project and can be undone. */
export const canUndo = ({ isOnLayer, undoable, output, outcome, undo }: CallRow): boolean =>
  (isOnLayer || undoable) && output !== undefined && outcome === undefined && undo?.kind !== "undone";

/** Folds a run of finished calls into one line that opens. */
export function folded(rows: readonly Row[], isOpen: (key: string) => boolean): readonly Row[] {
  const out: Row[] = [];
  let calls: CallRow[] = [];
  const flush = () => {
    const [first] = calls;
    if (first && calls.length >= FOLDED_FROM) {
      const row: CallsRow = { seq: first.seq, at: first.at, key: `calls ${first.key}`, kind: "calls", calls };
      out.push(row);
      if (isOpen(row.key)) out.push(...calls);
    } else out.push(...calls);
    calls = [];
  };
  for (const row of rows) {
    if (row.kind === "call" && row.output !== undefined && row.outcome !== "unknown") calls.push(row);
    else {
      flush();
      out.push(row);
    }
  }
  flush();
  return out;
}

/** What a call is about, in one line: a path, a command, or the first short argument. */
export function callSummary(input: unknown): string {
  if (input === null || typeof input !== "object") return input === undefined || input === null ? "" : JSON.stringify(input);
  const all = input as Record<string, unknown>;
  const chosen =
    all.path ?? all.command ?? all.pattern ?? all.query ?? all.url ?? Object.values(all).find((one) => typeof one === "string");
  const text = typeof chosen === "string" ? chosen : chosen === undefined ? "" : JSON.stringify(chosen);
  return text.split("\n", 1)[0]?.slice(0, 160) ?? "";
}
