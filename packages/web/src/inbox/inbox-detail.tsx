import type { ProjectQuestion } from "@colloquy/react";
import { useWords } from "../state/appearance.ts";
import { go } from "../state/router.ts";
import { ANSWER_KEYS } from "./answer/use-arming.ts";
import { InboxEmpty } from "./inbox-empty.tsx";
import { alikeOf } from "./inbox-order.ts";
import { QuestionCard } from "./card/question-card.tsx";
import { type Inbox, openQuestion } from "./use-inbox.ts";

/** The selected question, with those that belong to it. */
export function InboxDetail({ inbox, isPhone }: { readonly inbox: Inbox; readonly isPhone: boolean }) {
  const words = useWords();
  const { selected, open } = inbox;
  return (
    <section
      ref={inbox.detail}
      aria-label={words.kinds.question}
      tabIndex={-1}
      {...ANSWER_KEYS}
      className="min-w-0 flex-1 overflow-y-auto outline-none"
    >
      {isPhone && <h1 className="sr-only">{words.inbox}</h1>}
      {isPhone && (
        <button type="button" className="button button-plain m-2" onClick={() => go({ page: "inbox" })}>
          ← {words.back}
        </button>
      )}
      {selected === "not found" ? (
        <p className="p-10 text-center text-muted">{words.notFoundQuestion}</p>
      ) : selected ? (
        <Cards inbox={inbox} selected={selected} />
      ) : (
        open !== undefined && <InboxEmpty />
      )}
    </section>
  );
}

function Cards({ inbox: { bundle, onDecided }, selected }: { readonly inbox: Inbox; readonly selected: ProjectQuestion }) {
  return (
    <div className="px-4 pt-2 sm:px-8 sm:pt-8">
      {(bundle?.questions ?? [selected]).map((question, nth) => (
        <div
          key={question.id}
          className={nth > 0 ? "mt-10 border-t border-line pt-8" : ""}
          // The focused card is the one that shortcuts act on.
          onFocus={() => question.id !== selected.id && openQuestion(question, "replace")}
        >
          <QuestionCard
            question={question}
            isActive={question.id === selected.id}
            alike={bundle && alikeOf(question, bundle)}
            onDecided={onDecided}
          />
        </div>
      ))}
    </div>
  );
}
