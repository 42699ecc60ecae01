import { WhyDialog } from "../../parts/why-dialog.tsx";
import { useWords } from "../../state/appearance.ts";
import { AskerPath } from "./asker-path.tsx";
import { CardAnswer } from "./card-answer.tsx";
import { CardText } from "./card-text.tsx";
import { ClosedNote } from "./closed-note.tsx";
import { LedToIt } from "./led-to-it.tsx";
import { useCardKeys } from "./use-card-keys.ts";
import { type CardProps, useQuestionCard } from "./use-question-card.ts";

/** A question to decide. The inbox, dialogs and tasks use the same card. */
export function QuestionCard(props: CardProps) {
  const words = useWords();
  const card = useQuestionCard(props);
  useCardKeys(card);
  const { question, isInDialog, isActive, context, agent, agentName, mode, setMode } = card;
  const path = context?.path.map(({ agentId, selfId }) => ({ name: question.program ?? agentName(agentId), selfId })) ?? [];
  return (
    <article aria-label={question.headline} className="mx-auto w-full max-w-[760px]">
      {!isInDialog && <AskerPath question={question} names={path} />}
      <CardText card={card} />
      <CardAnswer card={card} />
      {!card.isOpen && <ClosedNote question={question} agent={agent} draft={card.draft} onSent={() => card.setDraft(undefined)} />}
      {!isInDialog && isActive && context && <LedToIt context={context} agentName={agentName} />}
      {mode === "dismiss" && (
        <WhyDialog
          title={words.dismissTitle}
          text={words.dismissText(agent)}
          label={words.dismissWhy}
          action={words.dismiss}
          onClose={() => setMode("none")}
          onGo={(reason) => {
            setMode("none");
            void card.decide("dismiss", reason === "" ? {} : { why: reason }, words.dismiss);
          }}
        />
      )}
    </article>
  );
}
