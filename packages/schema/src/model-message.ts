import type { CallId } from "./ids.ts";
import type { Image } from "./image.ts";
import type { Part } from "./message-parts.ts";

/**
 * What an agent is shown, before any provider's rules. Where a provider wants it otherwise (no system message in the middle,
 * alternation, a result right behind its call), its adapter sees to it.
 */
export type ModelMessage =
  | { readonly role: "system"; readonly text: string }
  | { readonly role: "user"; readonly text: string; readonly images?: readonly Image[] }
  /** What this agent put out in a step. `model` tells whether opaque parts may go back. */
  | { readonly role: "assistant"; readonly parts: readonly Part[]; readonly model: string | undefined }
  | { readonly role: "result"; readonly call: CallId; readonly tool: string; readonly output: string; readonly failed: boolean };
