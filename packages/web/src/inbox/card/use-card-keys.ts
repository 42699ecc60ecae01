import type { ProjectQuestion } from "@colloquy/react";
import { useWords } from "../../state/appearance.ts";
import { go } from "../../state/router.ts";
import type { Words } from "../../words.ts";
import { useArmedKeys } from "../answer/use-arming.ts";
import type { Card } from "./use-question-card.ts";

/** The place in the dialog where it was asked. */
export const whereAsked = ({ projectId, dialog, seq }: ProjectQuestion) =>
  ({ page: "dialog", projectId, dialogId: dialog.selfId, seq }) as const;

/** The card's shortcuts; each returns whether the key was one of them. */
export function useCardKeys(card: Card): void {
  const words = useWords();
  const { question, isActive, isOpen, mayAct, mode, area, setMode } = card;
  useArmedKeys(isActive && isOpen && mayAct && mode === "none", `${question.id} ${question.shown}`, area, (key) => {
    if (key === "o") go(whereAsked(question));
    else if (key === "b" && card.mayAskBack) setMode("askBack");
    else if (key === "h" && !card.isInDialog) setMode("later");
    else if (key === "x" && card.alike.length > 0) card.setForAll(!card.isForAll);
    else return card.isApproval ? approvalKey(card, key, words) : answerKey(card, key);
    return true;
  });
}

function approvalKey({ mustLook, isOwner, decide, setMode }: Card, key: string, words: Words): boolean {
  if (mustLook) return false;
  if (key === "a") void decide("approve", {}, words.approval.once);
  else if (key === "A" && isOwner) setMode("approveLike");
  else if (key === "d") setMode("deny");
  else if (key === "c") setMode("change");
  else return false;
  return true;
}

function answerKey({ question, chosen, choose, answer, field }: Card, key: string): boolean {
  const nth = /^[1-9]$/.test(key) ? Number(key) - 1 : -1;
  if (nth >= 0 && nth < question.options.length) {
    // Pressing the same key again sends, so a stray digit is harmless.
    if (!question.multiple && chosen.includes(nth)) void answer();
    else choose(nth);
  } else if (key === "Enter" && chosen.length > 0 && !isOnButton()) void answer();
  else if (key === "r") field.current?.focus();
  else return false;
  return true;
}

/** Enter on a button is that button's. */
const isOnButton = (): boolean => {
  const tag = document.activeElement?.tagName;
  const role = document.activeElement?.getAttribute("role");
  return (tag === "BUTTON" && role !== "radio" && role !== "checkbox" && role !== "option") || tag === "A" || tag === "SUMMARY";
};
