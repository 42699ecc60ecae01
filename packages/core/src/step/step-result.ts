import type { Definition, Part, Usage } from "@colloquy/schema";
import type { Card, NoticeCard } from "../questions/card.ts";
import type { TurnRef } from "../state/tree.ts";

/** Identifies a step of a turn. A driver that was presumed dead names a stale one and is refused. */
export interface StepRef extends TurnRef {
  readonly step: number;
}

/** What a runner returned. */
export interface StepResult {
  readonly parts: readonly Part[];
  /** Calls that will not be run, with the reason that the model is told. */
  readonly refused: ReadonlyMap<string, string>;
  /** Calls that a person must approve, each with what exactly it will do. */
  readonly approvals: ReadonlyMap<string, Card>;
  /** Calls that people are notified about. */
  readonly notices?: ReadonlyMap<string, NoticeCard>;
  /** The last event it was shown, and the number of messages at that time. */
  readonly seen: number;
  readonly index: number;
  /** Messages from others were shown in a block before the one it answers. */
  readonly away?: boolean | undefined;
  readonly gen: number;
  readonly ms: number;
  /** What the turn said earlier; the folded state keeps no text. */
  readonly words: Words;
  /** Makes an id for a question that no call asks. */
  readonly newId: () => string;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  /** The provider cut the reply off at its output limit. */
  readonly finish?: "length" | undefined;
  readonly cost?: number | undefined;
  readonly sessionId?: string | undefined;
  /** Document versions that it was shown for the first time. */
  readonly docs?: Readonly<Record<string, string>> | undefined;
  /** Why its words don't match the agent's output schema. */
  readonly badOutput?: string | undefined;
  /** What its agent is defined as, if that is new to the turn. */
  readonly definition?: Definition | undefined;
  /** The mark of the situation that its prompt described, if it is new to the turn. */
  readonly stands?: string | undefined;
}

/** What a turn has said and was told so far. */
export interface Words {
  /** Texts with which the turn would have ended, had nothing new arrived. */
  readonly ends: readonly string[];
  /** Its last text. */
  readonly last: string;
  /** The part of a reply before the output limit cut it off, unchanged; "" if the last reply was complete. */
  readonly cut: string;
  /** What people told the dialog during this turn. */
  readonly told: readonly string[];
}
