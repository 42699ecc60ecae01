import { type ProjectQuestion, useActions } from "@colloquy/react";
import { useWords } from "../../state/appearance.ts";
import { duration } from "../../state/duration.ts";
import { useNow } from "../../state/now.ts";
import { answerWords } from "../answer/answer-words.ts";

/** Decided elsewhere. The draft is kept and can be sent as a message. */
export function ClosedNote({
  question,
  agent,
  draft,
  onSent,
}: {
  readonly question: ProjectQuestion;
  readonly agent: string;
  readonly draft: string;
  readonly onSent: () => void;
}) {
  const words = useWords();
  const now = useNow(1_000);
  const { dialogs } = useActions(question.projectId);
  const { answer, status } = question;
  const ago = answer ? duration(Math.max(0, now - Date.parse(answer.at)), words) : "";
  const note =
    status === "answered" && answer
      ? answer.verdict === undefined
        ? words.answeredElsewhere(answer.by, ago, answerWords(answer, words))
        : words.decidedElsewhere(answer.by, ago, words.verdicts[answer.verdict], answer.content)
      : status === "dismissed"
        ? words.closedBy.dismissed(answer?.by ?? "–")
        : status === "withdrawn"
          ? words.closedBy.withdrawn(agent)
          : words.closedBy.expired;
  return (
    <div role="status" className="mt-4 rounded-xl border border-line bg-sunken px-4 py-3">
      <p>{note}</p>
      {answer?.signed && <p className="mt-1 text-xs break-all text-muted">{words.signedBy(answer.by)}</p>}
      {draft.trim() !== "" && (
        <div className="mt-2">
          <p className="text-muted">{words.draftKept(agent)}</p>
          <blockquote className="mt-2 border-l-2 border-line pl-3 whitespace-pre-wrap">{draft}</blockquote>
          <div className="mt-2 flex gap-2">
            <button
              type="button"
              className="button"
              onClick={async () => {
                await dialogs.send(question.dialog.selfId, draft);
                onSent();
              }}
            >
              {words.sendAsMessage}
            </button>
            <button type="button" className="button button-plain" onClick={onSent}>
              {words.dropDraft}
            </button>
          </div>
        </div>
      )}
    </div>
  );
}
