import { Markdown } from "../../parts/markdown.tsx";
import { KindGlyph } from "../../parts/state-glyph.tsx";
import { useLanguage, useWords } from "../../state/appearance.ts";
import { duration, moment } from "../../state/duration.ts";
import { useNow } from "../../state/now.ts";
import { actOf, ApprovalBox, whyOf } from "../answer/approval-box.tsx";
import { FormerWords } from "./former-words.tsx";
import type { Card } from "./use-question-card.ts";

/** What is asked, or exactly what would happen. */
export function CardText({ card }: { readonly card: Card }) {
  const words = useWords();
  const { question, isApproval, call, context } = card;
  const why = isApproval ? whyOf(question.text, call) : "";
  const text = textBelow(question);
  return (
    <>
      <CardFacts card={card} />
      <h2 className="mt-2 flex items-start gap-2 text-xl font-semibold leading-snug tracking-tight">
        {isApproval && (
          <span className="mt-1">
            <KindGlyph kind="approval" />
          </span>
        )}
        <span className="written min-w-0 flex-1">
          {isApproval ? (actOf(call, question.text, words) ?? question.headline) : question.headline}
        </span>
      </h2>
      {isApproval && <p className="mt-1 font-mono text-[13px] text-muted">{question.headline}</p>}
      {context && context.former.length > 0 && <FormerWords former={context.former} />}
      <div className="mt-3">
        {isApproval ? (
          <>
            {why !== "" && <p className="mb-3 whitespace-pre-wrap">{why}</p>}
            {call && <ApprovalBox call={call} text={question.text} onSeen={() => card.setSeen(true)} />}
          </>
        ) : (
          text !== "" && <Markdown text={text} />
        )}
      </div>
      {question.otherwise !== undefined && <p className="mt-2 text-[13px] text-muted">{words.otherwiseLine(question.otherwise)}</p>}
    </>
  );
}

/** The text without a first line that repeats the headline. */
function textBelow({ headline, text }: Card["question"]): string {
  const [first = "", ...rest] = text.trim().split("\n");
  return first.trim() === headline.trim() ? rest.join("\n").trim() : text.trim();
}

/** Who asked, what kind of question, when, and until when. */
function CardFacts({ card: { question, agent } }: { readonly card: Card }) {
  const words = useWords();
  const [language] = useLanguage();
  const now = useNow(1_000);
  const { given, deadline, waitingBehind } = question;
  return (
    <p className="mt-1 flex flex-wrap gap-x-1 text-[13px] text-muted">
      <span>
        {agent} · {words.kinds[question.kind]} · {words.askedAgo(duration(now - Date.parse(question.askedAt), words))}
      </span>
      {given?.id !== undefined && <span>· {words.agentsId(given.id)}</span>}
      {given?.createdAt !== undefined && <span>· {words.writtenAt(moment(Date.parse(given.createdAt), now, language))}</span>}
      {waitingBehind > 0 && <span>· {words.waitBehind(waitingBehind)}</span>}
      {deadline !== undefined && <span className="font-medium text-await">· {words.due(moment(Date.parse(deadline), now, language))}</span>}
    </p>
  );
}
