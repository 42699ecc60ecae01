import { answerSchema, type BridgeProject, questionText } from "@colloquy/bridge";
import { type QuestionView, Refused, type RootId } from "@colloquy/schema";
import { z } from "zod";
import type { Resume } from "./input.ts";

/** A question as what a run waits for. Its id names the version that the person sees. */
export function interruptOf(question: QuestionView, project: BridgeProject, others: number) {
  const { id, shown, kind, headline, text, options, deadline, tool, call } = question;
  const page = project.pageOf(id);
  return {
    id: `${id}.${shown}`,
    reason: kind === "approval" ? "tool_approval" : kind === "question" || kind === "confirmation" ? "input_required" : kind,
    message: questionText(question, { language: project.language, page, others }),
    responseSchema: answerSchema(question),
    ...(kind === "approval" && call !== undefined && { toolCallId: call }),
    ...(deadline !== undefined && { expiresAt: deadline }),
    metadata: {
      question: id,
      kind,
      headline,
      text,
      options,
      ...(tool !== undefined && { tool }),
      ...(page !== undefined && { url: page }),
    },
  };
}

const Verdict = z.strictObject({ approved: z.boolean(), reason: z.string().optional() });
const Choice = z.union([z.string(), z.number().int()]);
const Given = z.union([
  z.string().min(1),
  z.strictObject({
    choice: z.union([Choice, z.array(Choice)]).optional(),
    content: z.string().optional(),
    values: z.record(z.string(), z.unknown()).optional(),
  }),
]);

/** What a resume entry decides, once it is carried out. */
export interface Decision {
  readonly rootId: RootId;
  /** Undefined if it decides nothing. */
  readonly carryOut: (msgId: string) => Promise<{ readonly seq: number } | undefined>;
}

/** Reads an entry. Nothing is decided before all of a run's entries are valid. */
export async function decisionOf(project: BridgeProject, { interruptId, status, payload }: Resume): Promise<Decision> {
  const [, id = "", shown = ""] = /^([0-9a-f]{32})\.(.+)$/.exec(interruptId) ?? [];
  if (id === "") throw new Refused({ code: "question_not_found", message: `There is no interrupt ${interruptId.slice(0, 100)}.` });
  const { kind, dialog } = await project.question(id);
  const { rootId } = dialog;
  if (status === "cancelled") {
    // Only a plain question can be left to the agent. All else stays open for somebody who decides.
    const isPlain = kind === "question" || kind === "confirmation";
    return { rootId, carryOut: async (msgId) => (isPlain ? project.dismiss(id, { msgId }) : undefined) };
  }
  if (kind === "approval") {
    const read = Verdict.safeParse(typeof payload === "boolean" ? { approved: payload } : payload);
    if (!read.success) throw invalid(interruptId, "{approved: boolean, reason?: string}");
    const { approved, reason } = read.data;
    return {
      rootId,
      carryOut: (msgId) => (approved ? project.approve(id, { shown, msgId }) : project.deny(id, { shown, why: reason, msgId })),
    };
  }
  const read = Given.safeParse(payload);
  if (!read.success) throw invalid(interruptId, "a string, or {choice?, content?, values?}");
  const given = typeof read.data === "string" ? await wordsOf(project, id, read.data) : read.data;
  const content = "values" in given && given.values ? JSON.stringify(given.values) : given.content;
  const choice = given.choice === undefined ? undefined : [given.choice].flat();
  return { rootId, carryOut: (msgId) => project.answer(id, { choice, content, shown, msgId }) };
}

/** A plain text is a choice if it is a label, else words. */
async function wordsOf(project: BridgeProject, id: string, text: string): Promise<{ choice?: string; content?: string }> {
  const { options } = await project.question(id);
  return options.some(({ label }) => label === text) ? { choice: text } : { content: text };
}

const invalid = (interrupt: string, valid: string): Refused =>
  new Refused({ code: "bad_answer", message: `The payload of the interrupt ${interrupt.slice(0, 100)} must be ${valid}.` });
