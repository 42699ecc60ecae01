import { type ProjectQuestion, Refused, useActionsIn } from "@colloquy/react";
import { useCallback, useState } from "react";
import { useWords } from "../../state/appearance.ts";

/** Decisions made on this page, to tell them from other people's. */
export const decidedHere = new Set<string>();

export type Verb = "answer" | "dismiss" | "askBack" | "approve" | "deny";
type Body = Readonly<Record<string, unknown>>;
type Decide = (question: ProjectQuestion, verb: Verb, body: Body) => Promise<string | undefined>;

/** Sends one decision, with the version that was shown (U-S5). Returns the reason if it was refused. */
function useDecide(): Decide {
  const actionsIn = useActionsIn();
  const words = useWords();
  return useCallback(
    async ({ projectId, id, shown, kind }, verb, body) => {
      const isFinal = verb !== "askBack";
      const hasVersion = verb === "answer" || verb === "approve" || verb === "deny";
      if (isFinal) decidedHere.add(id);
      try {
        // The forms make bodies that fit their verbs.
        await actionsIn(projectId).questions[verb](id, { ...body, ...(hasVersion && { shown }) } as never);
        return undefined;
      } catch (error) {
        if (isFinal) decidedHere.delete(id);
        if (error instanceof Refused && error.code === "question_changed")
          return kind === "approval" ? words.callChanged : words.changedSince;
        return words.refused(error instanceof Error ? error.message : String(error));
      }
    },
    [actionsIn, words],
  );
}

/** A similar question for which the same decision failed. */
export interface Failure {
  readonly question: ProjectQuestion;
  readonly why: string;
}

export interface Deciding {
  readonly isSending: boolean;
  /** Why the last attempt was refused, in words. */
  readonly problem: string | undefined;
  /** True when it is done and durable. */
  act(verb: Verb, body: Body): Promise<boolean>;
  /** Applies the same decision to similar questions, one by one. Returns those that failed. */
  actAlike(others: readonly ProjectQuestion[], verb: Verb, body: Body): Promise<readonly Failure[]>;
}

/** What a person does with a question. */
export function useDeciding(question: ProjectQuestion): Deciding {
  const decide = useDecide();
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const act = useCallback<Deciding["act"]>(
    async (verb, body) => {
      setSending(true);
      setProblem(undefined);
      const why = await decide(question, verb, body);
      setProblem(why);
      setSending(false);
      return why === undefined;
    },
    [decide, question],
  );
  const actAlike = useCallback<Deciding["actAlike"]>(
    async (others, verb, body) => {
      const failures: Failure[] = [];
      for (const other of others) {
        const why = await decide(other, verb, body);
        if (why !== undefined) failures.push({ question: other, why });
      }
      return failures;
    },
    [decide],
  );
  return { isSending, problem, act, actAlike };
}
