import { useConnection } from "@colloquy/react";
import { QuestionId } from "@colloquy/schema";
import { useState } from "react";
import { Problem } from "../../parts/problem.tsx";
import { useWords } from "../../state/appearance.ts";
import type { QuestionRow } from "./rows.ts";
import { useFork } from "./use-fork.ts";

interface Props {
  readonly row: QuestionRow;
  readonly projectId: string;
  readonly dialogId: string;
}

/** Below an answered question: forks the dialog with another answer. */
export function WhatIf({ row, projectId, dialogId }: Props) {
  const words = useWords().dialog;
  const { role } = useConnection();
  const { copy, isBusy, problem } = useFork(projectId, dialogId);
  const [said, say] = useState("");
  if (role === "viewer" || row.as !== "answered" || row.isApproval) return null;
  const ask = (answer: { readonly choice?: string; readonly content?: string }) =>
    void copy({ answer: { question: QuestionId.parse(row.question), ...answer } });
  return (
    <details className="mt-1 pl-6 text-[13px]">
      <summary className="cursor-pointer text-muted hover:text-ink">{words.whatIf}</summary>
      <p className="mt-1 text-muted">{words.whatIfText}</p>
      <div className="mt-2 flex flex-wrap items-center gap-2">
        {row.options.map(({ label }) => (
          <button key={label} type="button" className="button" disabled={isBusy} onClick={() => ask({ choice: label })}>
            {label}
          </button>
        ))}
        <form
          className="flex grow gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (said.trim() !== "") ask({ content: said.trim() });
          }}
        >
          <input
            className="field grow"
            aria-label={words.whatIfAnswer}
            placeholder={words.whatIfAnswer}
            value={said}
            onChange={(event) => say(event.target.value)}
          />
          <button type="submit" className="button" disabled={isBusy || said.trim() === ""}>
            {words.fork}
          </button>
        </form>
      </div>
      <Problem text={problem} className="mt-1" />
    </details>
  );
}
