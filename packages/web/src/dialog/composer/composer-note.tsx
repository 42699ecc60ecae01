import { useWords } from "../../state/appearance.ts";
import type { Words } from "../../words.ts";
import type { Loaded } from "../dialog-column.tsx";
import type { Composing } from "./use-composer.ts";

/** Below the field: who will read this and when, or why it was refused. */
export function ComposerNote({ composing, view }: { readonly composing: Composing; readonly view: Loaded["view"] }) {
  const words = useWords();
  const { problem, passing, question, answered, mention, toggleMessage } = composing;
  const link = "underline underline-offset-2 hover:text-ink";
  return (
    <p className="mt-1 flex min-h-5 flex-wrap items-center gap-x-3 text-xs text-muted">
      {problem === undefined ? (
        <span className={answered ? "text-await" : ""}>{readerSentence(composing, view, words)}</span>
      ) : (
        <span role="alert" className="text-fail">
          {problem}
        </span>
      )}
      {passing && !answered && (
        <button type="button" className={link} onClick={() => mention(passing.id)}>
          {words.composer.addressHint(passing.name)}
        </button>
      )}
      {question && (
        <button type="button" className={link} onClick={toggleMessage}>
          {answered ? words.composer.askedInstead : words.composer.answerInstead}
        </button>
      )}
    </p>
  );
}

function readerSentence({ answered, waits, agentName }: Composing, view: Loaded["view"], { composer }: Words): string {
  const agent = agentName(view.agentId);
  if (answered) return composer.asked(answered.headline);
  if (view.stopped) return composer.stopped;
  if (view.status === "completed") return composer.done;
  if (waits.length > 0) return composer.waits(agent, waits);
  return view.state === "working" ? composer.busy(agent) : composer.idle(agent);
}
