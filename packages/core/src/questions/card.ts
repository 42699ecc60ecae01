import { type ActClass, type CallId, derivedId } from "@colloquy/schema";
import type { Draft } from "../state/draft.ts";
import { sourceOf } from "../output/question-source.ts";
import type { TurnRef } from "../state/tree.ts";

/** What exactly a call will do, or has done on its layer, for people. */
export interface Card {
  readonly headline: string;
  readonly text: string;
  readonly tool?: string;
  readonly classes?: readonly ActClass[];
  /** The versions of the files that it was based on. */
  readonly basis?: Readonly<Record<string, string>>;
}

interface CallPlace extends TurnRef {
  readonly call: CallId;
}

/** The call waits until a person has decided. Its approval has the call's own id. */
export function askApproval(draft: Draft, at: CallPlace, notification: string, { headline, text, tool, classes, basis }: Card): void {
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

/** The call runs, and people are notified. */
export function giveNotice(draft: Draft, at: CallPlace, { class: kind, headline, text }: Card & { readonly class: ActClass }): void {
  draft.add({
    type: "notice.added",
    ...draft.here(at.dialog),
    agent: at.agent,
    turn: at.turn,
    call: at.call,
    notice: derivedId(at.call, 1),
    class: kind,
    headline,
    text,
    ...sourceOf(draft.tree, at.dialog),
  });
}
