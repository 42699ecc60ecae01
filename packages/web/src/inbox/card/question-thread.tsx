import type { ProjectQuestion } from "@colloquy/react";
import { Markdown } from "../../parts/markdown.tsx";
import { useWords } from "../../state/appearance.ts";

/** What people asked back about a question, and what the agent replied. */
export function QuestionThread({
  question,
  agent,
  agentName,
  isAsking,
}: {
  readonly question: ProjectQuestion;
  readonly agent: string;
  readonly agentName: (id: string) => string;
  readonly isAsking: boolean;
}) {
  const words = useWords();
  const { thread } = question;
  if (thread.length === 0) return null;
  const isWaiting = thread.at(-1)?.by !== question.agentId && !isAsking;
  return (
    <section aria-label={words.thread} className="flex flex-col gap-2 rounded-xl border border-line bg-panel p-4">
      {thread.map(({ by, content, at }) => (
        <div key={at + by} className="flex gap-3">
          <span className="w-16 shrink-0 truncate text-[13px] font-medium text-muted">{by === question.agentId ? agentName(by) : by}</span>
          <div className="min-w-0 flex-1">
            <Markdown text={content} />
          </div>
        </div>
      ))}
      {isWaiting && question.status === "open" && <p className="text-[13px] text-muted">{words.askedBack(agent)}</p>}
    </section>
  );
}
