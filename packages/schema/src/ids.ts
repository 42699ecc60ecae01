import { z } from "zod";

/** 32 lower-case hex digits, time-ordered: 12 for the millisecond, 20 by chance. The chance is last, because people see the last six. */
const hex32 = /^[0-9a-f]{32}$/;

/** A tree is named by its main dialog; one that came from a Nostr event has that event's 64 digits. */
export const RootId = z.string().regex(/^(?:[0-9a-f]{32}|[0-9a-f]{64})$/).brand<"RootId">();
export type RootId = z.infer<typeof RootId>;

/** A main dialog's id is its tree's. */
export const DialogId = z.string().regex(/^(?:[0-9a-f]{32}|[0-9a-f]{64})$/).brand<"DialogId">();
export type DialogId = z.infer<typeof DialogId>;

export const CallId = z.string().regex(hex32).brand<"CallId">();
export type CallId = z.infer<typeof CallId>;

export const AgentId = z
  .string()
  .regex(/^[a-zA-Z][a-zA-Z0-9_-]*$/, "an agent's id is a letter, then letters, digits, _ or -")
  .brand<"AgentId">();
export type AgentId = z.infer<typeof AgentId>;

/** A tree's stream has the tree's id; the project's own stream is the other one. */
export type StreamId = RootId | typeof PROJECT_STREAM;
export const PROJECT_STREAM = "project";

/** The main dialog of a tree has the same digits. */
export const mainDialogOf = (rootId: RootId): DialogId => rootId as string as DialogId;

export function timeOrderedId(atMs: number, chance: Uint8Array): string {
  const random = Array.from(chance.subarray(0, 10), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return atMs.toString(16).padStart(12, "0") + random;
}

/** How people see an id. */
export const shortId = (id: string): string => id.slice(-6);
