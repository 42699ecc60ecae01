import { LimitsConfig } from "@colloquy/schema";
import { expect, test } from "vitest";
import { dialog, lead, startedTree } from "../testing.ts";
import { runOf, type Tree } from "../state/tree.ts";
import { limitReached } from "./limit-reached.ts";

const started = startedTree();
const turn = runOf(started, dialog, lead)?.turns[0]?.id ?? 0;
const spent = (more: Partial<Tree["spent"]>): Partial<Tree> => ({ spent: { ...started.spent, ...more } });

const table: readonly (readonly [when: string, tree: Partial<Tree>, limits: object, reached: object | undefined])[] = [
  ["nothing is spent", {}, { tokensPerTree: 100 }, undefined],
  ["one token is left", spent({ tokens: 99 }), { tokensPerTree: 100 }, undefined],
  ["all tokens are spent", spent({ tokens: 100 }), { tokensPerTree: 100 }, { limit: "tokensPerTree", used: 100, allowed: 100 }],
  ["a person has allowed more", { ...spent({ tokens: 100 }), raised: { tokensPerTree: 1 } }, { tokensPerTree: 100 }, undefined],
  ["there is no limit", spent({ cost: 1_000 }), {}, undefined],
  ["its cost is reached", spent({ cost: 5 }), { costPerTree: 5 }, { limit: "costPerTree", used: 5, allowed: 5 }],
  ["its time is reached", spent({ ms: 60_000 }), { wallTimePerTree: "1m" }, { limit: "wallTimePerTree", used: 60_000, allowed: 60_000 }],
  ["two are reached", spent({ tokens: 9, cost: 9 }), { tokensPerTree: 1, costPerTree: 1 }, { limit: "tokensPerTree", used: 9, allowed: 1 }],
];

test.each(table)("[S7] a limit of the tree, when %s", (_, over, limits, reached) => {
  expect(limitReached({ ...started, ...over }, { dialog, agent: lead, turn }, LimitsConfig.parse(limits))).toEqual(reached);
});

test("[S6] steps are counted for the turn: one that is over has reached no limit", () => {
  const limits = { ...LimitsConfig.parse({}), stepsPerTurn: 0 };
  expect(limitReached(started, { dialog, agent: lead, turn }, limits)?.limit).toBe("stepsPerTurn");
  expect(limitReached(started, { dialog, agent: lead, turn: 99 }, limits)).toBeUndefined();
});
