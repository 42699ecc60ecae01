import type { ProjectEvent, Refusal, RefusalCode } from "@colloquy/schema";
import type { Tree } from "./tree.ts";

/** Events to commit, or a legal "no". */
export type Decision<Event> =
  | {
      readonly ok: true;
      readonly events: readonly Event[];
      /** The `seq` that the sender is told. */
      readonly seq: number;
      readonly project?: readonly ProjectEvent[];
      /** The new text of a document that a `document.changed` of these events names without it. */
      readonly texts?: ReadonlyMap<string, string>;
      /** The resulting tree and the time it was folded with, if the decision folded its events already. It saves folding them twice. */
      readonly after?: { readonly tree: Tree; readonly at: number };
    }
  | { readonly ok: false; readonly refusal: Refusal };

/** `project`: events for the project's stream in the same commit. */
export const accept = <Event>(
  seq: number,
  events: readonly Event[],
  project: readonly ProjectEvent[] = [],
): Extract<Decision<Event>, { ok: true }> => ({
  ok: true,
  events,
  seq,
  ...(project.length > 0 && { project }),
});

export const refuse = (code: RefusalCode, message: string): { readonly ok: false; readonly refusal: Refusal } => ({
  ok: false,
  refusal: { code, message },
});
