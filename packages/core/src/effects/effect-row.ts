import type { EffectView } from "@colloquy/schema";
import type { EffectNews } from "./effect-news.ts";

/** What the ledger keeps of a call. It is listed once it may have had an effect. */
export interface EffectRow extends Omit<EffectView, "call" | "rootId" | "selfId" | "agentId" | "outcome"> {
  readonly selfId: string;
  readonly agentId: string;
  readonly hasStarted?: true;
  readonly isStaged?: true;
  readonly ended?: "ok" | "error" | "refused" | "unknown";
}

/** The row after the news; undefined if the call is not the ledger's: it was made before the ledger began, or ran elsewhere. */
export function withNews(row: EffectRow | undefined, news: EffectNews): EffectRow | undefined {
  if (news.kind === "made") {
    const { selfId, agentId, tool, what, at } = news;
    return { selfId, agentId, tool, what, at };
  }
  if (!row) return undefined;
  const { at } = news;
  switch (news.kind) {
    case "approved": {
      const { by, grant, what = row.what } = news;
      return { ...row, at, what, approved: { at, ...(by !== undefined && { by }), ...(grant !== undefined && { grant }) } };
    }
    case "started":
      return { ...row, at, hasStarted: true, ...(news.isStaged && { isStaged: true }) };
    case "ran":
      return { ...row, ...(news.changes !== "" && { changes: news.changes }) };
    case "ended":
      if (news.isCopied) return undefined;
      return {
        ...row,
        endedAt: at,
        ended: news.outcome ?? "ok",
        ...(news.receipt !== "" && { receipt: news.receipt }),
        ...(news.canUndo && { undoable: true }),
      };
    case "settled": {
      const { by, as, note, isUndo } = news;
      if (isUndo)
        return (
          row.undo && { ...row, undo: { ...row.undo, at, state: as === "done" ? "undone" : "refused", ...(by !== undefined && { by }) } }
        );
      return { ...row, settled: { at, as, ...(by !== undefined && { by }), ...(note !== undefined && { note }) } };
    }
    case "undo": {
      const by = news.by ?? row.undo?.by;
      return {
        ...row,
        undo: { at, state: news.state, ...(by !== undefined && { by }), ...(news.receipt !== undefined && { receipt: news.receipt }) },
      };
    }
  }
}

/** Its outcome for people; undefined if it had no effect, or has not begun. */
export function outcomeOf({ ended, hasStarted, isStaged, changes, settled, undo }: EffectRow): EffectView["outcome"] | undefined {
  if (undo?.state === "unknown") return "unknown";
  if (settled) return settled.as;
  // On a layer nothing happens to the project before the layer is applied.
  if (isStaged && (ended === undefined || ended === "error" || changes === undefined)) return undefined;
  switch (ended) {
    case undefined:
      return hasStarted ? "running" : undefined;
    case "ok":
      return "done";
    case "error":
      return "failed";
    case "refused":
      return undefined;
    case "unknown":
      return "unknown";
  }
}

/** The row as people and programs see it. */
export function effectView(row: EffectRow, call: string, rootId: string): EffectView | undefined {
  const outcome = outcomeOf(row);
  if (outcome === undefined) return undefined;
  const { hasStarted: _, isStaged: __, ended, undoable, ...shown } = row;
  // A command that changed something left its layer.
  const canUndo =
    (undoable ?? (ended === "ok" && row.changes !== undefined)) && row.undo?.state !== "undone" && row.undo?.state !== "asked";
  return { ...shown, call, rootId, outcome, ...(canUndo && { undoable: true }) } as EffectView;
}
