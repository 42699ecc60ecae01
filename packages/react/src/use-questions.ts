import type { AllQuestions, InProject } from "@colloquy/client";
import type { QuestionView } from "@colloquy/schema";
import { useClient, useObservable } from "./provider.ts";

/** A question and its project. */
export type ProjectQuestion = InProject<QuestionView>;

/** Every open question of every project. */
export const useQuestions = (): AllQuestions => useObservable(useClient().stores.questions);
