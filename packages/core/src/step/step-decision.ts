import type { CallId } from "@colloquy/schema";
import type { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";
import type { TurnRef } from "../state/tree.ts";

/** One call of a turn. */
export interface CallRef extends TurnRef {
  readonly call: CallId;
}

/** A decision within one turn: the draft to write to, the turn, and the rules in force. */
export interface TurnDecision {
  readonly draft: Draft;
  readonly ref: TurnRef;
  readonly rules: Rules;
}

/** What one step of a turn leads to. */
export interface StepDecision extends TurnDecision {
  /** Groups the step's questions for people: the id of its first call, if it has any. */
  readonly notification?: string | undefined;
  /** Makes an id for a question that no call asks. */
  readonly newId: () => string;
}

/** What one built-in call leads to. */
export interface CallDecision extends TurnDecision {
  readonly ref: CallRef;
  /** Groups the questions of the call's step for people. */
  readonly notification: string;
}
