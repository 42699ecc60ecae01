import type { LimitName, OfferedChoice } from "@colloquy/schema";
import type { Texts } from "../texts/texts.ts";

/** How much more can be granted at a time, in the limit's unit. */
const STEPS: Readonly<Record<LimitName, readonly number[]>> = {
  depth: [2, 8],
  openAsks: [16, 64],
  stepsPerTurn: [50, 200],
  tokensPerTree: [1_000_000, 5_000_000],
  costPerTree: [5, 20],
  wallTimePerTree: [3_600_000, 14_400_000],
  costPerDay: [5, 20],
};

/** A limit that is reached, with amounts in its unit. */
export interface ReachedLimit {
  readonly limit: LimitName;
  readonly used: number;
  readonly allowed: number;
}

/** A limit's question about the dialog of this title: how much more, or stop. */
export function limitQuestion(
  title: string,
  { limit, used, allowed }: ReachedLimit,
  texts: Texts,
): { headline: string; text: string; options: OfferedChoice[]; allowOther: boolean } {
  const stop: OfferedChoice =
    limit === "costPerDay" ? { label: texts.noMoreToday, code: "noMoreToday" } : { label: texts.stopChoice, code: "stop" };
  return {
    headline: texts.limitHeadline(title, limit, used, allowed),
    text: texts.limitText(limit),
    options: [...limitChoices(limit), stop],
    allowOther: false,
  };
}

/** The amounts by which a limit can be raised. */
export const limitChoices = (limit: LimitName): readonly (OfferedChoice & { readonly more: number })[] =>
  STEPS[limit].map((more) => ({ label: moreLabel(limit, more), code: "more", more }));

const moreLabel = (limit: LimitName, more: number): string => (limit === "wallTimePerTree" ? `+${more / 3_600_000}h` : `+${more}`);
