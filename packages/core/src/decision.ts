import type { ProjectEvent, Refusal, RefusalCode } from "@colloquy/schema";

/** Events to commit, or a legal "no". `seq` is what the sender is told: where its word stands. */
export type Decision<Event> =
  | { readonly ok: true; readonly events: readonly Event[]; readonly seq: number; readonly project?: readonly ProjectEvent[] }
  | { readonly ok: false; readonly refusal: Refusal };

/** `project`: what belongs to the project's stream, in the same commit. */
export const accept = <Event>(seq: number, events: readonly Event[], project: readonly ProjectEvent[] = []): Decision<Event> => ({
  ok: true,
  events,
  seq,
  ...(project.length > 0 && { project }),
});

export const refuse = (code: RefusalCode, message: string): { readonly ok: false; readonly refusal: Refusal } => ({
  ok: false,
  refusal: { code, message },
});
