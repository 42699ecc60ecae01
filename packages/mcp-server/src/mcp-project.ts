import type { askingFields, DialogView, QuestionView } from "@colloquy/schema";
import type { z } from "zod";

export interface Asking extends z.output<z.ZodObject<typeof askingFields>> {
  readonly program: string;
  readonly msgId?: string | undefined;
}

interface Work {
  readonly content: string;
  readonly msgId?: string | undefined;
  /** A `traceparent`: the span that led to it. */
  readonly trace?: string | undefined;
}

/** A project as MCP clients reach it: over the library, or over a server's API. Refusals are thrown as `Refused`. */
export interface McpProject {
  readonly name: string;
  readonly team: () => readonly { readonly id: string; readonly name: string }[];
  ask(asking: Asking): Promise<{ readonly questionId: string; readonly url?: string | undefined }>;
  question(id: string): Promise<QuestionView>;
  questions(): Promise<readonly QuestionView[]>;
  /** Where a person answers it, if there is a page. */
  pageOf(questionId: string): string | undefined;
  create(given: Work & { readonly agentId?: string | undefined }): Promise<{ readonly dialogId: string }>;
  send(dialogId: string, given: Work): Promise<{ readonly ack?: string | undefined }>;
  view(dialogId: string): Promise<DialogView>;
  /** What its agent said last. */
  lastReply(dialogId: string): Promise<string>;
  /** Resolves when the question is closed, or when the signal comes. */
  closed(question: QuestionView, signal: AbortSignal): Promise<void>;
  /** Resolves when the dialog's tree is idle, or when the signal comes. */
  quiet(dialogId: string, signal: AbortSignal): Promise<void>;
  /** Calls `listener` with the main dialog that changed, and whether its questions did. Returns an unsubscribe function. */
  onChange(listener: (rootId: string, isAboutQuestions: boolean) => void): () => void;
}
