import type { Report } from "../tasks/task-run.ts";

/** A reply may be cut off this often in a turn before a person is asked. */
const MAX_CUTS = 3;

/** What the verdict on a step depends on. */
export interface StepFacts {
  /** It calls tools. */
  readonly hasCalls: boolean;
  /** The provider cut its words off at the output limit. */
  readonly isCutOff: boolean;
  /** How often that happened earlier in the turn. */
  readonly cutsBefore: number;
  /** Calls, asks or questions from earlier steps are open. */
  readonly hasOpenWork: boolean;
  /** Something arrived for the turn that this step was not shown. */
  readonly hasUnread: boolean;
  /** It said nothing. */
  readonly isEmpty: boolean;
  /** The turn has already been told that it ended without a reply. */
  readonly wasToldEmpty: boolean;
  /** What it asks its asker instead of answering. */
  readonly askBack: string | undefined;
  /** Questions in its text are asked, or sent back to the agent to correct them or to read the known answer. */
  readonly questions: "none" | "asked" | "sentBack";
  /** Why its words don't match the agent's output schema. */
  readonly badOutput: string | undefined;
  /** The turn has already been told that its output is bad. */
  readonly wasToldBadOutput: boolean;
  /** The result of the task's run, if the turn is one; `tell` if the agent did not report it. */
  readonly report: Report | "tell" | undefined;
}

/** What a step means for its turn. A stale step is refused before it is judged. */
export type StepVerdict =
  /** It called tools, and continues with their results. */
  | { readonly kind: "acts" }
  /** The reply is incomplete, so the agent is asked to continue it. `halts`: this happened too often, so a person is asked. */
  | { readonly kind: "cutOff"; readonly halts: boolean }
  /** It spoke while earlier calls, asks or questions are open, and waits for them. */
  | { readonly kind: "waits" }
  /** It asks its asker. `isTold`: it said nothing after a cut-off reply, and is told so. */
  | { readonly kind: "asksBack"; readonly content: string; readonly reached: boolean; readonly isTold: boolean }
  /** It would have ended, but first reads what has arrived. `reached`: its text counts as a possible end of the turn. */
  | { readonly kind: "readsOn"; readonly reached: boolean }
  /** It ended without a reply, and is told so once. */
  | { readonly kind: "saysNothing" }
  /** Its questions are sent back to it. */
  | { readonly kind: "corrects" }
  /** Its output is bad, and it is told why. `halts`: it was told before, so a person is asked. */
  | { readonly kind: "badOutput"; readonly problem: string; readonly halts: boolean }
  /** It would end its task's run without a status, so it is asked for one. */
  | { readonly kind: "lacksStatus" }
  /** It has asked people and waits for their answers. */
  | { readonly kind: "waitsForPeople" }
  /** The turn ends. `report`: the result of the task's run, which ends with it and may leave questions open. */
  | { readonly kind: "ends"; readonly report: Report | undefined };

/** The one place that decides whether a turn ends. */
export function judgeStep(facts: StepFacts): StepVerdict {
  const { hasUnread, questions, badOutput, report } = facts;
  if (facts.hasCalls) return { kind: "acts" };
  if (facts.isCutOff) return { kind: "cutOff", halts: facts.cutsBefore >= MAX_CUTS };
  if (facts.hasOpenWork) return { kind: "waits" };
  const isTold = !hasUnread && facts.isEmpty && !facts.wasToldEmpty;
  const reached = hasUnread && questions === "none";
  if (facts.askBack !== undefined) return { kind: "asksBack", content: facts.askBack, reached, isTold };
  if (hasUnread) return { kind: "readsOn", reached };
  if (isTold) return { kind: "saysNothing" };
  if (questions === "sentBack") return { kind: "corrects" };
  if (badOutput !== undefined && questions === "none") return { kind: "badOutput", problem: badOutput, halts: facts.wasToldBadOutput };
  if (report === "tell") return { kind: "lacksStatus" };
  if (report === undefined && questions === "asked") return { kind: "waitsForPeople" };
  return { kind: "ends", report };
}
