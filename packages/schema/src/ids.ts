import { z } from "zod";

/** 32 lower-case hex digits, time-ordered: 12 for the millisecond, 20 by chance. The chance is last, because people see the last six. */
const hex32 = /^[0-9a-f]{32}$/;

/** A tree is named by its main dialog; one that came from a Nostr event has that event's 64 digits. */
export const RootId = z
  .string()
  .regex(/^(?:[0-9a-f]{32}|[0-9a-f]{64})$/)
  .brand<"RootId">();
export type RootId = z.infer<typeof RootId>;

/** A main dialog's id is its tree's. */
export const DialogId = z
  .string()
  .regex(/^(?:[0-9a-f]{32}|[0-9a-f]{64})$/)
  .brand<"DialogId">();
export type DialogId = z.infer<typeof DialogId>;

export const CallId = z.string().regex(hex32).brand<"CallId">();
export type CallId = z.infer<typeof CallId>;

/** A question that a call raised has the call's digits, and so has a side dialog that a call opened. */
export const QuestionId = z.string().regex(hex32).brand<"QuestionId">();
export type QuestionId = z.infer<typeof QuestionId>;

/** The call that asked; with a number behind it where one call asks several. */
export const AskId = z
  .string()
  .regex(/^[0-9a-f]{32}(?:\.\d+)?$/)
  .brand<"AskId">();
export type AskId = z.infer<typeof AskId>;

export const askIdOf = (call: CallId, nth?: number): AskId => (nth === undefined ? call : `${call}.${nth}`) as string as AskId;

/** An id that belongs to the nth thing of a call: the same again for the same call, and other last digits for each. */
export function derivedId(call: string, nth: number): string {
  const last = Number.parseInt(call.slice(-8), 16);
  return call.slice(0, -8) + ((last + nth * 0x9e3779b1) >>> 0).toString(16).padStart(8, "0");
}

export const SESSION_SLUG = /^[a-zA-Z][a-zA-Z0-9_-]*$/;

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
  let id = atMs.toString(16).padStart(12, "0");
  for (let nth = 0; nth < 10; nth++) id += (256 + (chance[nth] ?? 0)).toString(16).slice(1);
  return id;
}

/** How people see an id. */
export const shortId = (id: string): string => id.slice(-6);
