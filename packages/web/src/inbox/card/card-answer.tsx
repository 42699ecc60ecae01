import { Problem } from "../../parts/problem.tsx";
import { useWords } from "../../state/appearance.ts";
import { AnswerField } from "../answer/answer-field.tsx";
import { AnswerForm } from "../answer/answer-form.tsx";
import { AskBackForm } from "../answer/ask-back-form.tsx";
import { ChoiceList } from "../answer/choice-list.tsx";
import { CardButtons } from "./card-buttons.tsx";
import { QuestionThread } from "./question-thread.tsx";
import type { Card } from "./use-question-card.ts";

/** Choices, fields and buttons. */
export function CardAnswer({ card }: { readonly card: Card }) {
  const words = useWords();
  const { question, agent, isOpen, mayAct, isSending, mode, setMode } = card;
  const hasChoices = question.options.length > 0;
  const canAct = isOpen && mayAct;
  return (
    <div ref={card.area} className="mt-4 flex flex-col gap-3">
      {!card.isApproval && hasChoices && isOpen && (
        <ChoiceList options={question.options} isMultiple={question.multiple} chosen={card.chosen} onChoose={card.choose} />
      )}
      {canAct && card.hasForm && (
        <AnswerForm fields={question.fields ?? []} isSending={isSending} onSend={(content) => void card.answer(content)} />
      )}
      {canAct && card.hasField && (
        <AnswerField
          ref={card.field}
          draft={card.draft}
          setDraft={card.setDraft}
          hasChoices={hasChoices}
          onSend={() => void card.answer()}
        />
      )}
      <QuestionThread question={question} agent={agent} agentName={card.agentName} isAsking={mode === "askBack"} />
      {mode === "askBack" && <AskBackForm agent={agent} isSending={isSending} onSend={card.askBack} onCancel={() => setMode("none")} />}
      <Problem text={card.problem} isBoxed />
      {canAct && card.alike.length > 0 && <SameForAll card={card} />}
      {card.mustLook && (
        <p className="flex flex-wrap items-center gap-3 text-[13px] text-muted">
          {words.approval.scrollFirst}
          <button type="button" className="button" onClick={() => card.setSeen(true)}>
            {words.approval.seen}
          </button>
        </p>
      )}
      {canAct && mode !== "askBack" && <CardButtons card={card} />}
      {!mayAct && <p className="text-[13px] text-muted">{words.composer.viewer}</p>}
    </div>
  );
}

function SameForAll({ card }: { readonly card: Card }) {
  const words = useWords();
  return (
    <label className="flex min-h-8 w-fit items-center gap-2 text-[13px]">
      <input
        type="checkbox"
        className="h-4 w-4 accent-(--accent)"
        checked={card.isForAll}
        onChange={(event) => card.setForAll(event.target.checked)}
      />
      {words.sameForAll(card.alike.length + 1)} <kbd className="max-sm:hidden">x</kbd>
    </label>
  );
}
