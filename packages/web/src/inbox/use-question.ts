import { type ProjectQuestion, projectPath, Refusal, useDoor } from "@colloquy/react";
import { useCallback, useState } from "react";
import { useWords } from "../state/appearance.ts";
import { newMsgId } from "../state/msg-id.ts";

/** What was decided on this page, so that it is not taken for somebody else's. */
export const decidedHere = new Set<string>();

export interface Deciding {
  readonly isSending: boolean;
  /** Why the last attempt was refused, in words. */
  readonly problem: string | undefined;
  clearProblem(): void;
  /** True when it is done and durable. */
  act(verb: "answer" | "dismiss" | "ask-back" | "approve" | "deny", body: Readonly<Record<string, unknown>>): Promise<boolean>;
}

/** What a person does with a question. Everything that is sent carries the version that was shown (U-S5). */
export function useDeciding(question: ProjectQuestion): Deciding {
  const door = useDoor();
  const words = useWords();
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { projectId, id, shown, kind } = question;

  const act = useCallback<Deciding["act"]>(
    async (verb, body) => {
      setSending(true);
      setProblem(undefined);
      const isFinal = verb !== "ask-back";
      const hasVersion = verb === "answer" || verb === "approve" || verb === "deny";
      if (isFinal) decidedHere.add(id);
      try {
        await door.change("POST", `${projectPath(projectId)}/questions/${id}/${verb}`, {
          ...body,
          ...(hasVersion && { shown }),
          msgId: newMsgId(),
        });
        return true;
      } catch (error) {
        if (isFinal) decidedHere.delete(id);
        const isChanged = error instanceof Refusal && error.code === "question_changed";
        setProblem(
          isChanged
            ? kind === "approval"
              ? words.callChanged
              : words.changedSince
            : words.refused(error instanceof Error ? error.message : String(error)),
        );
        return false;
      } finally {
        setSending(false);
      }
    },
    [door, projectId, id, shown, kind, words],
  );
  return { isSending, problem, act, clearProblem: () => setProblem(undefined) };
}
