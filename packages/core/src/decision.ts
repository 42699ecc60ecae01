import type { Refusal, RefusalCode } from "@colloquy/schema";

/** Events to commit, or a legal "no". `seq` is what the sender is told: where its word stands. */
export type Decision<Event> =
  | { readonly ok: true; readonly events: readonly Event[]; readonly seq: number }
  | { readonly ok: false; readonly refusal: Refusal };

export const accept = <Event>(seq: number, events: readonly Event[]): Decision<Event> => ({ ok: true, events, seq });

export const refuse = (code: RefusalCode, message: string): { readonly ok: false; readonly refusal: Refusal } => ({
  ok: false,
  refusal: { code, message },
});
