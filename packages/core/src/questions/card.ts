import { type ActClass, derivedId } from "@colloquy/schema";
import type { Draft } from "../state/draft.ts";
import { sourceOf } from "../output/question-source.ts";
import type { CallRef } from "../step/step-decision.ts";

/** What exactly a call will do, or has done on its layer. Shown to people. */
export interface Card {
  readonly headline: string;
  readonly text: string;
  readonly tool?: string;
  readonly classes?: readonly ActClass[];
  /** The file versions it was based on. */
  readonly basis?: Readonly<Record<string, string>>;
}

/** Holds the call until a person decides. The approval's id is the call's. */
export function askApproval(draft: Draft, at: CallRef, notification: string, { headline, text, tool, classes, basis }: Card): void {
  draft.ask(at, {
    id: at.call,
    notification,
    kind: "approval",
    call: at.call,
    headline,
    text,
    ...(tool !== undefined && { tool }),
    ...(classes && classes.length > 0 && { classes: [...classes] }),
    ...(basis && { basis: { ...basis } }),
  });
}

/** Tells people about a call that runs without their approval, or about one that did not run although they approved it. */
export interface NoticeCard extends Card {
  readonly class: ActClass;
}

/** Notifies people. `nth`: a call may have one notice for its start and one for its end. */
export function giveNotice(draft: Draft, at: CallRef, { class: kind, headline, text }: NoticeCard, nth: 1 | 2 = 1): void {
  draft.add({
    type: "notice.added",
    ...draft.here(at.dialog),
    agent: at.agent,
    turn: at.turn,
    call: at.call,
    notice: derivedId(at.call, nth),
    class: kind,
    headline,
    text,
    ...sourceOf(draft.tree, at.dialog),
  });
}
