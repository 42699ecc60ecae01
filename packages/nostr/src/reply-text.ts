import { chosenIn } from "@colloquy/bridge";
import type { QuestionView } from "@colloquy/schema";

/** What a person's reply to a published question decides. */
export type Decision =
  | { readonly kind: "approve" }
  | { readonly kind: "deny"; readonly why?: string }
  | { readonly kind: "answer"; readonly choice?: readonly string[]; readonly content?: string };

const APPROVE = /^(?:approve|批准)[.!。！]?$/i;
const DENY = /^(?:deny|拒绝)(?:[\s,.:!，。：！]+(.+))?$/is;

/** Undefined: it is no decision, but something said. An approval needs exactly its word. */
export function readReply(question: Pick<QuestionView, "kind" | "options" | "multiple">, text: string): Decision | undefined {
  const said = text.trim();
  if (question.kind === "approval") {
    if (APPROVE.test(said)) return { kind: "approve" };
    const denied = DENY.exec(said);
    return denied ? { kind: "deny", ...(denied[1] !== undefined && { why: denied[1].trim() }) } : undefined;
  }
  const parts = question.multiple ? said.split(/\s*[,，、]\s*/) : [said];
  const choice = parts.flatMap((part) => chosenIn(question, part) ?? []);
  return choice.length === parts.length ? { kind: "answer", choice } : { kind: "answer", content: said };
}
