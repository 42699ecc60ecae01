import { z } from "zod";

/**
 * 32 lower-case hex digits, ordered by time: 12 for the millisecond, then 20 random ones. The random digits are last, because people see
 * the last six.
 */
const hex32 = /^[0-9a-f]{32}$/;

/** A tree's id is its main dialog's. A tree created from a Nostr event has that event's 64 digits. */
export const RootId = z
  .string()
  .regex(/^(?:[0-9a-f]{32}|[0-9a-f]{64})$/)
  .brand<"RootId">();
export type RootId = z.infer<typeof RootId>;

/** A main dialog has the id of its tree. */
export const DialogId = z
  .string()
  .regex(/^(?:[0-9a-f]{32}|[0-9a-f]{64})$/)
  .brand<"DialogId">();
export type DialogId = z.infer<typeof DialogId>;

/** The address of a dialog at any depth. */
export const DialogAddress = z.strictObject({ rootId: RootId, selfId: DialogId });
export interface DialogAddress extends z.infer<typeof DialogAddress> {}

export const CallId = z.string().regex(hex32).brand<"CallId">();
export type CallId = z.infer<typeof CallId>;

/** A question or side dialog that a call created has the call's id. */
export const QuestionId = z.string().regex(hex32).brand<"QuestionId">();
export type QuestionId = z.infer<typeof QuestionId>;

/** The id of the call that asked, followed by a number if one call asks several agents. */
export const AskId = z
  .string()
  .regex(/^[0-9a-f]{32}(?:\.\d+)?$/)
  .brand<"AskId">();
export type AskId = z.infer<typeof AskId>;

export const askIdOf = (call: CallId, nth?: number): AskId => (nth === undefined ? call : `${call}.${nth}`) as string as AskId;

/** The id of the nth thing that a call created: always the same for the same call, with different last digits for each n. */
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

/** A tree's stream has the tree's id. The only other stream is the project's. */
export type StreamId = RootId | typeof PROJECT_STREAM;
export const PROJECT_STREAM = "project";

/** A main dialog has the id of its tree. */
export const mainDialogOf = (rootId: RootId): DialogId => rootId as string as DialogId;
export const mainAddress = (rootId: RootId): DialogAddress => ({ rootId, selfId: mainDialogOf(rootId) });
export const isMain = ({ rootId, selfId }: DialogAddress): boolean => (rootId as string) === (selfId as string);

export function timeOrderedId(atMs: number, chance: Uint8Array): string {
  let id = atMs.toString(16).padStart(12, "0");
  for (let nth = 0; nth < 10; nth++) id += (256 + (chance[nth] ?? 0)).toString(16).slice(1);
  return id;
}

/** Names one agent in one dialog: a run. */
export type RunKey = string;
export const runKey = (dialog: string, agent: string): RunKey => `${dialog}/${agent}`;

/** The short form of an id that people see. */
export const shortId = (id: string): string => id.slice(-6);
