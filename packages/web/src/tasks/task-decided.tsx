import { type ProjectQuestion, useProject } from "@colloquy/react";
import { answerWords } from "../inbox/answer/answer-words.ts";
import { Link } from "../parts/link.tsx";
import { useLanguage, useWords } from "../state/appearance.ts";
import { moment } from "../state/duration.ts";
import { useNow } from "../state/now.ts";
import { usePersonName } from "../state/person-name.ts";
import { TaskPart } from "./task-part.tsx";

/** The task's closed questions and what became of them. */
export function TaskDecided({ projectId, questions }: { readonly projectId: string; readonly questions: readonly ProjectQuestion[] }) {
  const words = useWords();
  const [language] = useLanguage();
  const now = useNow(60_000);
  const { agentName } = useProject(projectId);
  const personName = usePersonName();
  const outcome = ({ status, answer, agentId }: ProjectQuestion): string => {
    if (status === "answered" && answer) return words.closedBy.answered(personName(answer.by), answerWords(answer, words));
    if (status === "dismissed") return words.closedBy.dismissed(answer?.by ?? "");
    return status === "withdrawn" ? words.closedBy.withdrawn(agentName(agentId)) : words.closedBy.expired;
  };
  return (
    <TaskPart title={words.tasks.decided}>
      <ul aria-label={words.tasks.decided} className="overflow-hidden rounded-xl border border-line bg-panel">
        {questions.map((question) => (
          <li key={question.id} className="border-b border-line last:border-0">
            <Link
              to={{ page: "inbox", projectId, questionId: question.id }}
              className="flex items-baseline gap-2 px-4 py-2.5 hover:bg-hover"
            >
              <span aria-hidden="true" className="w-4 shrink-0 text-center text-muted">
                {question.status === "answered" ? "✓" : "–"}
              </span>
              <span className="min-w-0 flex-1">
                <span className="block">{question.headline}</span>
                <span className="block text-[13px] text-muted">{outcome(question)}</span>
              </span>
              <span className="shrink-0 text-xs text-muted">
                {question.answer && moment(Date.parse(question.answer.at), now, language)}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </TaskPart>
  );
}
