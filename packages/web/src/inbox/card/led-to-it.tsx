import { useState } from "react";
import type { Row } from "../../dialog/transcript/rows.ts";
import { callSummary } from "../../dialog/transcript/folded-calls.ts";
import { Markdown } from "../../parts/markdown.tsx";
import { useWords } from "../../state/appearance.ts";
import { usePersonName } from "../../state/person-name.ts";
import type { QuestionContext } from "./use-context.ts";

const MAX_MESSAGES = 4;

/** The question's context, collapsed by default. */
export function LedToIt({ context, agentName }: { readonly context: QuestionContext; readonly agentName: (id: string) => string }) {
  const words = useWords();
  const personName = usePersonName();
  const [isOpen, setOpen] = useState(false);
  const assignment = context.rows.findLast((row) => row.kind === "assignment");
  const told = context.rows.filter((row) => row.kind === "person" || row.kind === "saying" || row.kind === "call" || row.kind === "ask");
  const shown = isOpen ? told : told.slice(-MAX_MESSAGES);
  if (!assignment && told.length === 0 && context.decided.length === 0) return null;
  return (
    <section aria-labelledby="led-to-it" className="mt-8 border-t border-line pt-4 pb-8">
      <h3 id="led-to-it" className="text-[13px] font-semibold text-muted">
        {words.ledToIt}
      </h3>
      <div className="mt-2 flex flex-col gap-2.5">
        {assignment?.kind === "assignment" && (
          <Said who={words.assignment(agentName(assignment.from), agentName(context.path.at(-1)?.agentId ?? ""))}>
            <Markdown text={assignment.text} />
          </Said>
        )}
        {shown.map((row) => (
          <Line key={row.key} row={row} agentName={agentName} />
        ))}
      </div>
      {told.length > MAX_MESSAGES && (
        <button
          type="button"
          className="button button-plain -ml-3 mt-1 text-[13px] text-muted"
          onClick={() => setOpen(!isOpen)}
          aria-expanded={isOpen}
        >
          {isOpen ? words.showLess : words.showMore}
        </button>
      )}
      {context.decided.length > 0 && (
        <>
          <h3 className="mt-4 text-[13px] font-semibold text-muted">{words.saidBefore}</h3>
          <ul className="mt-1 flex flex-col gap-1">
            {context.decided.map(({ id, headline, by, answer }) => (
              <li key={id} className="text-[13px]">
                <span className="text-muted">{headline}</span> — {personName(by)}: <span className="font-medium">{answer}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Said({ who, children }: { readonly who: string; readonly children: React.ReactNode }) {
  return (
    <div className="grid gap-x-4 text-[13px] sm:grid-cols-[112px_1fr]">
      <span className="font-medium text-muted">{who}</span>
      <div className="min-w-0">{children}</div>
    </div>
  );
}

function Line({ row, agentName }: { readonly row: Row; readonly agentName: (id: string) => string }) {
  const words = useWords();
  const personName = usePersonName();
  switch (row.kind) {
    case "person":
      return (
        <Said who={personName(row.by)}>
          <Markdown text={row.text} />
        </Said>
      );
    case "saying":
      return (
        <Said who={agentName(row.agent)}>
          <Markdown text={row.text} />
        </Said>
      );
    case "call":
      return (
        <Said who={agentName(row.agent)}>
          <span className="font-mono text-xs text-muted">
            {row.tool} {callSummary(row.input)}{" "}
            {row.outcome === undefined ? (row.output === undefined ? "" : "✓") : words.dialog.outcome[row.outcome]}
          </span>
        </Said>
      );
    case "ask":
      return (
        <Said who={words.assignment(agentName(row.agent), agentName(row.recipient))}>
          <Markdown text={row.text} />
        </Said>
      );
    default:
      return null;
  }
}
