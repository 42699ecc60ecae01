import type { CallId } from "./ids.ts";
import type { Image } from "./image.ts";
import type { Part } from "./message-parts.ts";

/**
 * What an agent is shown, independent of any provider. An adapter enforces its provider's rules (no system message in the middle,
 * alternating roles, a result right after its call).
 */
export type ModelMessage =
  | { readonly role: "system"; readonly text: string }
  | { readonly role: "user"; readonly text: string; readonly images?: readonly Image[] }
  /** The agent's output in a step. `model` decides whether opaque parts may be sent back. */
  | { readonly role: "assistant"; readonly parts: readonly Part[]; readonly model: string | undefined }
  | { readonly role: "result"; readonly call: CallId; readonly tool: string; readonly output: string; readonly failed: boolean };
