import type { ModelList } from "@colloquy/library";
import { type ChosenModel, SCRIPTED } from "../templates/project-files.ts";

export interface ModelChoice extends ChosenModel {
  readonly hint: string;
}

/** A good first model for each provider: capable, and not the most expensive. Others can be named in colloquy.yaml. */
const SUGGESTED = ["anthropic/claude-sonnet-5-5", "anthropic/claude-haiku-4-5", "openai/gpt-6.1-sol", "openai/gpt-6.1-terra"];
const MAX_LOCAL = 6;

/** Models that a new project could use, best guess first; the script is always available. */
export function modelChoices({ available, local }: Pick<ModelList, "available" | "local">): readonly [ModelChoice, ...ModelChoice[]] {
  const named = SUGGESTED.flatMap((name) => available.filter((model) => model.name === name));
  const provided = named.map(({ name, keyEnv, price }): ModelChoice => {
    const cost = price ? `, ${price.input} / ${price.output} $ per million tokens` : "";
    return { name, hint: `${keyEnv ?? "a key"} found${cost}` };
  });
  const served = local.flatMap(({ server, baseURL, models }) =>
    models.map((id): ModelChoice => ({
      name: "local",
      settings: { provider: "openai-compatible", baseURL, id },
      hint: `on this machine (${server})`,
    })),
  );
  const script: ModelChoice = { name: SCRIPTED, hint: "no model for now: a script plays" };
  const [first, ...others] = [...provided, ...served.slice(0, MAX_LOCAL), script];
  return [first ?? script, ...others];
}

export const preferredModel = ([first]: readonly [ModelChoice, ...ModelChoice[]]): ChosenModel => ({
  name: first.name,
  ...(first.settings && { settings: first.settings }),
});
