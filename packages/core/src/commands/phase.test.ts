import { type Phase, PHASES } from "@colloquy/schema";
import { expect, test } from "vitest";
import { decide } from "./decide.ts";
import { phaseRefused } from "./phase.ts";
import { accepted, dialog, rules, startedTree } from "../testing.ts";
import { mainDialog } from "../state/tree.ts";

const allowed: Readonly<Record<Phase, readonly Phase[]>> = {
  chat: ["brainstorm", "plan", "execute"],
  brainstorm: ["chat", "plan", "execute"],
  plan: ["execute", "chat"],
  execute: ["verification", "chat"],
  verification: ["chores", "execute", "chat"],
  chores: ["reflection"],
  reflection: ["chat"],
};

test.each(PHASES)("[J21] from %s", (from) => {
  for (const to of PHASES.filter((one) => one !== from)) {
    const refusal = phaseRefused(from, to, undefined, rules());
    if (allowed[from].includes(to)) expect(refusal).toBeUndefined();
    else expect(refusal).toBe(`From ${from} the phase cannot become ${to}. Allowed: ${allowed[from].join(", ")}.`);
  }
});

test("[J20] [J21] [J22] a person sets the phase", () => {
  const tree = startedTree();
  expect(mainDialog(tree)?.phase).toBe("chat");
  const set = (phase: Phase, summary?: string) =>
    decide(tree, { type: "set_phase", dialog, by: "anna", phase, ...(summary !== undefined && { summary }) }, rules());
  expect(mainDialog(accepted(tree, set("plan")))).toMatchObject({ phase: "plan", summary: undefined });
  expect(mainDialog(accepted(tree, set("chat", "We agreed on A.")))).toMatchObject({ phase: "chat", summary: "We agreed on A." });
  expect(set("chat")).toMatchObject({ refusal: { code: "phase_not_allowed", message: expect.stringContaining("summary") } });
  expect(set("chores")).toMatchObject({
    refusal: { code: "phase_not_allowed", message: expect.stringContaining("brainstorm, plan, execute") },
  });
});
