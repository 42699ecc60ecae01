import { type ProjectQuestion, projectPath, useDoor, useProject } from "@colloquy/react";
import { useCallback, useEffect, useState } from "react";
import { useWords } from "../state/appearance.ts";
import { draftKey, keep } from "../state/kept.ts";
import { newMsgId } from "@colloquy/schema";
import { useNow } from "../state/now.ts";
import { go } from "../state/router.ts";
import { isAnswerKey } from "./answer/use-arming.ts";
import type { Failure } from "./use-question.ts";

export interface Last {
  readonly question: ProjectQuestion;
  readonly said: string;
  /** Others that were to be decided in the same way, and were not. */
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

/** What was just answered. An answer is not taken back; it is corrected by a message, and the agent's step ends first. */
export function LastAnswer({ last: { question, said, failures } }: { readonly last: Last }) {
  const words = useWords();
  const door = useDoor();
  const { agentName } = useProject(question.projectId);
  const { projectId, dialog, headline } = question;
  const correct = useCallback(() => {
    keep(draftKey(dialog.selfId), words.correctText(headline));
    door.change("POST", `${projectPath(projectId)}/dialogs/${dialog.selfId}/stop`, { msgId: newMsgId() }).catch(() => undefined); // it may have ended already
    go({ page: "dialog", projectId, dialogId: dialog.selfId });
  }, [door, projectId, dialog.selfId, headline, words]);
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
        <span className="text-muted">{words.goesOn(agentName(question.agentId))}</span>
      </span>
      <button type="button" className="button" title={words.noUndo} onClick={correct}>
        {words.correct} <kbd>z</kbd>
      </button>
    </div>
  );
}
