import { useConnection } from "@colloquy/react";
import { Problem } from "../../parts/problem.tsx";
import { useWords } from "../../state/appearance.ts";
import { useFork } from "./use-fork.ts";

/** Beside a row: copies the dialog up to there. */
export function ForkHere({ projectId, dialogId, seq }: { readonly projectId: string; readonly dialogId: string; readonly seq: number }) {
  const words = useWords().dialog;
  const { role } = useConnection();
  const { copy, isBusy, problem } = useFork(projectId, dialogId);
  if (role === "viewer") return null;
  return (
    <>
      <button
        type="button"
        aria-label={words.forkHere}
        title={words.forkHere}
        disabled={isBusy}
        onClick={() => void copy({ at: seq })}
        className="absolute top-8 -left-4 px-1 text-muted opacity-0 group-hover:opacity-100 focus:opacity-100"
      >
        ⑂
      </button>
      <Problem text={problem} className="pl-9" />
    </>
  );
}
