import { useActions, useConnection } from "@colloquy/react";
import { useState } from "react";
import { Problem } from "../parts/problem.tsx";
import { useWords } from "../state/appearance.ts";

/** Undoes a call: its layer, or by its tool. */
export function UndoButton({ projectId, call }: { readonly projectId: string; readonly call: string }) {
  const words = useWords().dialog;
  const { undo } = useActions(projectId).dialogs;
  const { role } = useConnection();
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  if (role === "viewer") return null;
  const send = async () => {
    setSending(true);
    setProblem(undefined);
    try {
      await undo(call);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setSending(false);
  };
  return (
    <div className="flex flex-wrap items-center gap-2 pl-7">
      <button type="button" className="button" disabled={isSending} onClick={() => void send()}>
        {isSending ? words.undoing : words.undo}
      </button>
      <Problem text={problem} className="whitespace-pre-wrap" />
    </div>
  );
}
