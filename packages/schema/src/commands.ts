import { z } from "zod";
import { SettledAs } from "./effect.ts";
import { AgentId, CallId, DialogId, QuestionId, RootId } from "./ids.ts";
import { Image } from "./image.ts";
import { NostrEvent } from "./nostr-event.ts";
import { Phase } from "./phase.ts";

/** A person's commands to a tree. `by` comes from the credential, never from the request. Time and ids come from the shell. */
const signed = { by: z.string(), msgId: z.string().min(1).max(200).optional() };
const toDialog = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.strictObject({ type: z.literal(type), dialog: DialogId, ...signed, ...fields });
const toQuestion = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.strictObject({ type: z.literal(type), question: QuestionId, ...signed, ...fields });

/** Choices by label, or by index from 0 in the order of the question. */
const choice = z.array(z.union([z.string(), z.number().int()]));
/** The version of the question that the person was shown. */
const shown = z.string().optional();
/** The signed event by which the person decided. */
const proof = NostrEvent.optional();

/**
 * The agents addressed, in order. If absent, those named at the start of the text, else the dialog's own agent. An empty list adds to the
 * history only.
 */
const mentions = z.array(z.string()).optional();

export const DialogCommand = z.discriminatedUnion("type", [
  toDialog("send", {
    content: z.string(),
    mentions,
    /** Images that are already stored, by name. */
    images: z.array(Image).optional(),
    now: z.boolean().optional(),
    interrupt: z.boolean().optional(),
    sessionId: z.string().optional(),
    /** The `traceparent` of the request that brought it. */
    trace: z.string().optional(),
  }),
  toDialog("set_phase", { phase: Phase, why: z.string().optional(), summary: z.string().optional() }),
  toDialog("rename", { title: z.string() }),
  toDialog("stop", { tree: z.boolean().optional() }),
  toDialog("resume", {}),
  toDialog("done", {}),
  toDialog("archive", {}),
  toDialog("dead", {}),
  toDialog("clear_mind", { reminder: z.string().optional() }),
  /** The shell sets `from` and `to`: fingerprints of the section before and after the change. */
  toDialog("change_mind", {
    selector: z.enum(["goals", "constraints", "progress"]),
    content: z.string(),
    shown: z.string().optional(),
    from: z.string(),
    to: z.string(),
  }),
  toDialog("add_reminder", { content: z.string() }),
  toDialog("update_reminder", { reminder: z.number().int(), content: z.string() }),
  toDialog("undo", { call: CallId }),
  toDialog("settle", { call: CallId, as: SettledAs, note: z.string().max(2_000).optional() }),
  toDialog("delete_reminder", { reminder: z.number().int() }),
]);
export type DialogCommand = z.infer<typeof DialogCommand>;

export const QuestionCommand = z.discriminatedUnion("type", [
  toQuestion("answer", { content: z.string().optional(), choice: choice.optional(), shown, proof }),
  toQuestion("dismiss", { why: z.string().optional() }),
  toQuestion("ask_back", { content: z.string() }),
  toQuestion("approve", {
    shown,
    proof,
    scope: z.enum(["once", "dialog", "task", "project"]).optional(),
    pattern: z.string().optional(),
    until: z.number().int().optional(),
    arguments: z.unknown().optional(),
  }),
  toQuestion("deny", { shown, proof, why: z.string().optional() }),
]);
export type QuestionCommand = z.infer<typeof QuestionCommand>;

export type Command = DialogCommand | QuestionCommand;

/** The input for a new main dialog. */
export const Creation = z.strictObject({
  /** The new dialog's id, if the sender chooses it. */
  rootId: RootId.optional(),
  agent: AgentId.optional(),
  content: z.string(),
  mentions,
  title: z.string().optional(),
  taskDocPath: z.string().optional(),
  images: z.array(Image).optional(),
  sessionId: z.string().optional(),
  /** The `traceparent` of the request that brought it. */
  trace: z.string().optional(),
  by: z.string(),
  msgId: z.string().min(1).max(200).optional(),
});
export type Creation = z.infer<typeof Creation>;
