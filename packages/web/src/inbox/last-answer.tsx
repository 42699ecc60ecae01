import { type ProjectQuestion, useActions, useProject } from "@colloquy/react";
import { useCallback, useEffect, useState } from "react";
import { useWords } from "../state/appearance.ts";
import { draftKey, keep } from "../state/kept.ts";
import { useNow } from "../state/now.ts";
import { go } from "../state/router.ts";
import { isAnswerKey } from "./answer/use-arming.ts";
import type { Failure } from "./card/use-question.ts";

export interface Last {
  readonly question: ProjectQuestion;
  readonly said: string;
  /** Similar questions for which the same decision failed. */
  readonly failures: readonly Failure[];
  readonly at: number;
}

const CORRECTED_WITHIN_MS = 30_000;

type Remember = (question: ProjectQuestion, said: string, failures: readonly Failure[]) => void;

export function useLastAnswer(): { readonly last: Last | undefined; readonly remember: Remember } {
  const [last, setLast] = useState<Last>();
  const now = useNow(1_000);
  const remember = useCallback<Remember>((question, said, failures) => setLast({ question, said, failures, at: Date.now() }), []);
  return { last: last && now - last.at < CORRECTED_WITHIN_MS ? last : undefined, remember };
}

/** The last answer. Answers can't be undone; correcting one stops the agent's step and sends a message. */
export function LastAnswer({ last: { question, said, failures } }: { readonly last: Last }) {
  const words = useWords();
  const { dialogs } = useActions(question.projectId);
  const { agentName } = useProject(question.projectId);
  const { projectId, dialog, headline } = question;
  const correct = useCallback(() => {
    keep(draftKey(dialog.selfId), words.correctText(headline));
    dialogs.stop(dialog.selfId).catch(() => undefined); // it may have ended already
    go({ page: "dialog", projectId, dialogId: dialog.selfId });
  }, [dialogs, projectId, dialog.selfId, headline, words]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "z" || !isAnswerKey(event)) return;
      event.preventDefault();
      correct();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [correct]);
  return (
    <div role="status" className="flex flex-wrap items-center gap-3 border-t border-line bg-panel px-4 py-2.5 text-[13px]">
      {failures.map(({ question: other, why }) => (
        <p key={other.id} className="w-full text-fail">
          {other.headline}: {why}
        </p>
      ))}
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{said}</span>
        <span className="text-muted">{words.goesOn(question.program ?? agentName(question.agentId))}</span>
      </span>
      <button type="button" className="button" title={words.noUndo} onClick={correct}>
        {words.correct} <kbd>z</kbd>
      </button>
    </div>
  );
}
