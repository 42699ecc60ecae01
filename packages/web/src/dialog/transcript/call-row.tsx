import type { LiveTool } from "@colloquy/react";
import { useWords } from "../../state/appearance.ts";
import type { Loaded } from "../dialog-column.tsx";
import { CallView } from "./call-view.tsx";
import type { RowProps } from "./row-view.tsx";
import type { CallRow, CallsRow, Row } from "./rows.ts";

/** Several calls in a row, folded into a line. */
export function CallGroup({ row, isOpen, onToggle }: RowProps<CallsRow>) {
  const words = useWords();
  return (
    <button type="button" aria-expanded={isOpen} className="py-0.5 text-[13px] text-muted hover:text-ink" onClick={() => onToggle(row.key)}>
      {isOpen ? "▾" : "▸"} {words.dialog.toolCalls(row.calls.length)}
      <span className="ml-2 font-mono text-xs">{[...new Set(row.calls.map(({ tool }) => tool))].join(", ")}</span>
    </button>
  );
}

export function Call({ row, projectId, dialog, isOpen, onToggle }: RowProps<CallRow>) {
  return (
    <CallView
      row={row}
      projectId={projectId}
      dialogId={dialog.view.selfId}
      running={runningTool(dialog, row)}
      isOpen={isOpen}
      onToggle={() => onToggle(row.key)}
    />
  );
}

/** The live output of a call, if it is running. */
export const runningTool = ({ live, view }: Loaded, row: Row): LiveTool | undefined =>
  live
    .filter(({ selfId }) => selfId === view.selfId)
    .flatMap(({ tools }) => tools)
    .find(({ call }) => row.kind === "call" && call === row.call);
