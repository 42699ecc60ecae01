import type { Definition, DefinitionPart, TreeEvent } from "@colloquy/schema";
import { halt } from "../commands/halt.ts";
import type { Rules } from "../prompt/rules.ts";
import { accept, type Decision, refuse } from "../state/decision.ts";
import { Draft } from "../state/draft.ts";
import { dialogOf, type Tree, type Turn, turnAt, type TurnRef } from "../state/tree.ts";
import { conclude } from "./conclude.ts";

const PARTS: readonly DefinitionPart[] = ["role", "tools", "schemas", "model"];

const difference = (one: Definition, other: Definition): readonly DefinitionPart[] => PARTS.filter((part) => one[part] !== other[part]);

/** What to record with a step: the definition, if the turn's steps so far had another one or none. */
export const definitionToRecord = ({ definition: before }: Pick<Turn, "definition">, now: Definition | undefined): Definition | undefined =>
  now === undefined || (before && difference(before, now).length === 0) ? undefined : now;

/** The parts that changed since the turn's last step and that people were not told of; empty if the step may be taken. */
export function newlyChanged({ definition, toldDefinition }: Turn, now: Definition | undefined): readonly DefinitionPart[] {
  if (!now || !definition) return [];
  if (toldDefinition && difference(toldDefinition, now).length === 0) return [];
  return difference(definition, now);
}

export interface ChangedDefinition {
  readonly definition: Definition;
  /** A person must agree before the turn continues. */
  readonly isStrict: boolean;
  /** The id of the question. */
  readonly question: string;
}

/** Before a step: people are told that the turn continues under another definition, or asked whether it may. */
export function decideDefinition(tree: Tree, at: TurnRef, changed: ChangedDefinition, rules: Rules): Decision<TreeEvent> {
  const { definition, isStrict, question } = changed;
  const dialog = dialogOf(tree, at.dialog);
  const turn = turnAt(tree, at);
  if (!dialog || !turn) return refuse("stale_step", `Turn ${at.turn} is over.`);
  if (dialog.status !== "running" || dialog.stopped) return accept(tree.seq, []);
  const parts = newlyChanged(turn, definition);
  if (parts.length === 0) return accept(tree.seq, []);
  const draft = new Draft(tree, rules.at);
  const { texts } = rules;
  draft.add({ type: "definition.changed", ...draft.here(at.dialog), agent: at.agent, turn: at.turn, parts: [...parts], definition });
  if (isStrict) {
    const message = texts.definitionChanged(rules.team.nameOf(at.agent), parts);
    const options = [
      { label: texts.continueChoice, code: "resume" as const },
      { label: texts.stayStoppedChoice, code: "stop" as const },
      { label: texts.forkChoice, code: "fork" as const },
      { label: texts.giveUpChoice, code: "giveUp" as const },
    ];
    halt(draft, { asker: at, reason: { code: "definition_changed", message }, question, options }, rules);
  }
  conclude(draft, rules);
  return draft.decision();
}
