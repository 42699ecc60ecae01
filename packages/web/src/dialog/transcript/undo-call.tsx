import { useActions } from "@colloquy/react";
import { useState } from "react";
import { Problem } from "../../parts/problem.tsx";
import { useWords } from "../../state/appearance.ts";
import { canUndo } from "./folded-calls.ts";
import type { CallRow } from "./rows.ts";

/** Undoes a command's changes and shows the outcome. Renders nothing if there is nothing to undo. */
export function UndoCall({ row, projectId }: { readonly row: CallRow; readonly projectId: string }) {
  const words = useWords().dialog;
  const { undo } = useActions(projectId).dialogs;
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  if (row.undo?.kind === "undone") {
    const { by = "", output } = row.undo;
    return <p className="text-[13px] text-muted">{output === undefined ? words.undone(by) : words.takenBack(by, output)}</p>;
  }
  if (!canUndo(row)) return null;
  const send = async () => {
    setSending(true);
    setProblem(undefined);
    try {
      await undo(row.call);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setSending(false);
  };
  const isBusy = isSending || row.undo?.kind === "asked";
  return (
    <div className="flex flex-col items-start gap-1">
      <button
        type="button"
        disabled={isBusy}
        onClick={() => void send()}
        className="rounded-lg border border-line px-2.5 py-1 text-[13px] text-ink hover:bg-sunken disabled:opacity-60"
      >
        {isBusy ? words.undoing : words.undo}
      </button>
      <Problem text={row.undo?.kind === "refused" ? refusalOf(row.undo, words) : problem} className="whitespace-pre-wrap" />
    </div>
  );
}

type Words = ReturnType<typeof useWords>["dialog"];

function refusalOf({ why, conflicts, output }: Extract<CallRow["undo"], { kind: "refused" }>, words: Words): string {
  if (why === "gone") return words.undoGone;
  if (why === "failed") return words.undoFailed(output);
  if (why === "unknown") return words.undoUnknown;
  const lines = conflicts.map(({ path, call }) => (call === undefined ? path : words.changedByLater(path, call.slice(-6))));
  return words.undoConflict(lines.join("\n"));
}
