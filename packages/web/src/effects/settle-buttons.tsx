import { useActions, useConnection } from "@colloquy/react";
import { useState } from "react";
import { Problem } from "../parts/problem.tsx";
import { useWords } from "../state/appearance.ts";

/** Says how a call with an unknown outcome ended. */
export function SettleButtons({ projectId, call }: { readonly projectId: string; readonly call: string }) {
  const words = useWords().effects;
  const { settle } = useActions(projectId).effects;
  const { role } = useConnection();
  const [note, setNote] = useState("");
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  if (role === "viewer") return null;
  const send = async (as: "done" | "failed") => {
    setSending(true);
    setProblem(undefined);
    try {
      await settle(call, { as, ...(note.trim() !== "" && { note }) });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setSending(false);
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        className="field min-w-40 flex-1 text-[13px]"
        aria-label={words.note}
        placeholder={words.note}
        value={note}
        maxLength={2_000}
        onChange={(event) => setNote(event.target.value)}
      />
      <button type="button" className="button" disabled={isSending} onClick={() => void send("done")}>
        {words.happened}
      </button>
      <button type="button" className="button" disabled={isSending} onClick={() => void send("failed")}>
        {words.didNot}
      </button>
      <Problem text={problem} className="w-full" />
    </div>
  );
}
