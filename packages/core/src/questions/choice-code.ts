import type { ChoiceCode, OfferedChoice, QuestionKind, QuestionTopic, TreeEventOf } from "@colloquy/schema";
import { limitChoices } from "../gate/limit.ts";
import type { Question } from "../state/tree.ts";

/** The labels that versions without codes wrote, in English and Chinese. Never edit them: recorded questions depend on them. */
const RECORDED_LABELS: Readonly<Record<Exclude<ChoiceCode, "more">, readonly string[]>> = {
  resume: ["Resume", "恢复"],
  giveUp: ["Give up", "放弃"],
  stop: ["Stop", "停止"],
  fork: [],
  noMoreToday: ["No more today", "今天到此为止"],
  tryAgain: ["Try again", "再试一次"],
  closeTask: ["Close it", "关闭任务"],
  accept: ["Accept", "接受"],
  decline: ["Decline", "拒绝"],
  yes: ["Yes", "是"],
  no: ["No", "否"],
};

/**
 * A question's choices, and what each of them does. Questions recorded without codes get them from the labels in every language, so no
 * setting changes what a choice means.
 */
export function offeredChoices(event: TreeEventOf<"question.asked">): readonly OfferedChoice[] {
  const { options = [], limit } = event;
  const codes = codesOf(event);
  if (codes.length === 0 || options.some(({ code }) => code !== undefined)) return options;
  return options.map((option) => {
    const more = limit && limitChoices(limit).find(({ label }) => label === option.label)?.more;
    if (more !== undefined) return { ...option, code: "more", more };
    const code = codes.find((one) => RECORDED_LABELS[one].includes(option.label));
    return code === undefined ? option : { ...option, code };
  });
}

/** The codes that a question of this kind can offer, apart from `more`. Choices written by an agent or a tool have none. */
function codesOf({ kind, limit, topic, form }: { kind: QuestionKind; limit?: unknown; topic?: QuestionTopic | undefined; form?: Form }) {
  const codes = (...some: Exclude<ChoiceCode, "more">[]) => some;
  if (kind === "limit") return limit === "costPerDay" ? codes("noMoreToday") : codes("stop");
  if (kind === "fault") return topic === "failures" ? codes("tryAgain", "closeTask") : codes("resume", "giveUp");
  const [only, ...others] = form?.fields ?? [];
  if (!form || others.length > 0) return codes();
  return only ? (only.kind === "boolean" ? codes("yes", "no") : codes()) : codes("accept", "decline");
}

type Form = TreeEventOf<"question.asked">["form"];

/** The label of the offered choice with this code. */
export const labelOf = ({ options }: Question, code: ChoiceCode): string | undefined =>
  options.find((option) => option.code === code)?.label;

/** Reads a yes or no in any language. */
export const saysYesOrNo = (word: string): boolean | undefined => {
  const says = (code: "yes" | "no") => RECORDED_LABELS[code].some((label) => label.toLowerCase() === word);
  return says("yes") ? true : says("no") ? false : undefined;
};
