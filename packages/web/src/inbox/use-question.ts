import { type Door, type ProjectQuestion, projectPath, Refusal, useDoor } from "@colloquy/react";
import { useCallback, useState } from "react";
import { useWords } from "../state/appearance.ts";
import { newMsgId } from "@colloquy/schema";
import type { Words } from "../words.ts";

/** What was decided on this page, so that it is not taken for somebody else's. */
export const decidedHere = new Set<string>();

export type Verb = "answer" | "dismiss" | "ask-back" | "approve" | "deny";
type Body = Readonly<Record<string, unknown>>;

/** One decision about one question. What is sent carries the version that was shown (U-S5). Gives why it was refused. */
async function decide(
  door: Door,
  { projectId, id, shown, kind }: ProjectQuestion,
  verb: Verb,
  body: Body,
  words: Words,
): Promise<string | undefined> {
  const isFinal = verb !== "ask-back";
  const hasVersion = verb === "answer" || verb === "approve" || verb === "deny";
  if (isFinal) decidedHere.add(id);
  try {
    await door.change("POST", `${projectPath(projectId)}/questions/${id}/${verb}`, {
      ...body,
      ...(hasVersion && { shown }),
      msgId: newMsgId(),
    });
    return undefined;
  } catch (error) {
    if (isFinal) decidedHere.delete(id);
    if (error instanceof Refusal && error.code === "question_changed") return kind === "approval" ? words.callChanged : words.changedSince;
    return words.refused(error instanceof Error ? error.message : String(error));
  }
}

/** What was not done to a question that was to be decided like another. */
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
  /** The same for others like it, one by one. Gives those that it was not done to. */
  actAlike(others: readonly ProjectQuestion[], verb: Verb, body: Body): Promise<readonly Failure[]>;
}

/** What a person does with a question. */
export function useDeciding(question: ProjectQuestion): Deciding {
  const door = useDoor();
  const words = useWords();
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const act = useCallback<Deciding["act"]>(
    async (verb, body) => {
      setSending(true);
      setProblem(undefined);
      const why = await decide(door, question, verb, body, words);
      setProblem(why);
      setSending(false);
      return why === undefined;
    },
    [door, question, words],
  );
  const actAlike = useCallback<Deciding["actAlike"]>(
    async (others, verb, body) => {
      const failures: Failure[] = [];
      for (const other of others) {
        const why = await decide(door, other, verb, body, words);
        if (why !== undefined) failures.push({ question: other, why });
      }
      return failures;
    },
    [door, words],
  );
  return { isSending, problem, act, actAlike };
}
