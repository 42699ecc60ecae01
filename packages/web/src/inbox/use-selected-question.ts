import { type ProjectQuestion, useApis } from "@colloquy/react";
import { useEffect, useState } from "react";

/** The question in the address: open, just closed, or fetched if it closed long ago. */
export function useSelectedQuestion(
  questionId: string | undefined,
  projectId: string | undefined,
  open: readonly ProjectQuestion[] | undefined,
  closed: readonly ProjectQuestion[],
): ProjectQuestion | "not found" | undefined {
  const apiOf = useApis();
  const known = open?.find(({ id }) => id === questionId) ?? closed.find(({ id }) => id === questionId);
  const [fetched, setFetched] = useState<{ readonly id: string; readonly question: ProjectQuestion | "not found" }>();
  const isWanted = questionId !== undefined && projectId !== undefined && known === undefined && open !== undefined;
  useEffect(() => {
    if (!isWanted) return;
    apiOf(projectId)
      .questions.get(questionId)
      .then((question) => setFetched({ id: questionId, question: { ...question, projectId } }))
      .catch(() => setFetched({ id: questionId, question: "not found" }));
  }, [isWanted, apiOf, projectId, questionId]);
  if (questionId === undefined) return undefined;
  return known ?? (fetched?.id === questionId ? fetched.question : undefined);
}
