import { type ProjectQuestion, useApis, useProjects, useQuestions } from "@colloquy/react";
import { useEffect, useState } from "react";
import { Link } from "../parts/link.tsx";
import { KindGlyph } from "../parts/state-glyph.tsx";
import { useLanguage, useWords } from "../state/appearance.ts";
import { moment } from "../state/duration.ts";
import { usePersonName } from "../state/person-name.ts";
import { go } from "../state/router.ts";
import { answerWords } from "./answer/answer-words.ts";
import { isAnswerKey } from "./answer/use-arming.ts";

/** Answered questions, newest first; `[` goes to an older one, `]` to a newer one. */
export function AnsweredList({ selected }: { readonly selected: string | undefined }) {
  const words = useWords();
  const [language] = useLanguage();
  const personName = usePersonName();
  const apiOf = useApis();
  const projects = useProjects();
  const { closed } = useQuestions();
  const [found, setFound] = useState<readonly ProjectQuestion[]>();
  useEffect(() => {
    let isGone = false;
    const load = async () => {
      const lists = await Promise.all(
        (projects ?? []).map(async ({ id }) => {
          const { questions } = await apiOf(id).questions.list({ status: "answered", limit: 100 });
          return questions.map((question) => ({ ...question, projectId: id }));
        }),
      );
      if (!isGone) setFound(lists.flat().toSorted((a, b) => (b.answer?.at ?? "").localeCompare(a.answer?.at ?? "")));
    };
    load().catch(() => undefined); // the connection bar says so
    return () => {
      isGone = true;
    };
  }, [apiOf, projects?.length, closed.length]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const by = event.key === "[" || event.key === "j" ? 1 : event.key === "]" || event.key === "k" ? -1 : 0;
      if (by === 0 || !found || !isAnswerKey(event)) return;
      const place = found.findIndex(({ id }) => id === selected);
      const next = found[Math.max(0, Math.min(found.length - 1, place + by))];
      if (next) go({ page: "inbox", projectId: next.projectId, questionId: next.id }, selected === undefined ? "push" : "replace");
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [found, selected]);
  if (found?.length === 0) return <p className="p-6 text-center text-muted">{words.empty.answered}</p>;
  return (
    <ul aria-label={words.sections.answered}>
      {found?.map((question) => (
        <li key={question.id}>
          <Link
            to={{ page: "inbox", projectId: question.projectId, questionId: question.id }}
            aria-current={question.id === selected ? "true" : undefined}
            className={`flex h-16 flex-col justify-center gap-0.5 border-b border-line px-4 ${question.id === selected ? "bg-accent-soft" : "hover:bg-hover"}`}
          >
            <span className="flex items-baseline gap-2">
              <KindGlyph kind={question.kind} isOver />
              <span className="min-w-0 flex-1 truncate">{question.headline}</span>
              <span className="text-xs text-muted">{question.answer && moment(Date.parse(question.answer.at), Date.now(), language)}</span>
            </span>
            <span className="truncate pl-6 text-xs text-muted">
              {question.answer && words.closedBy.answered(personName(question.answer.by), answerWords(question.answer, words))}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
