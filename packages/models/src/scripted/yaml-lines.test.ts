import { AgentConfig, Config, Script } from "@colloquy/schema";
import { expect, test } from "vitest";
import { readYaml } from "./yaml-lines.ts";

const problems = async (text: string, schema: Parameters<typeof readYaml>[2] = Script): Promise<readonly string[]> => {
  const read = await readYaml(text, "scripts/demo.yaml", schema);
  return read.ok ? [] : read.problems;
};
const rule = (...lines: string[]) => ["description: A demo", "rules:", ...lines].join("\n");

test.each<[string, string, string]>([
  ["a value of the wrong kind", rule("  - do:", "      say: 5"), "scripts/demo.yaml:4: rules[0].do.say: must be a text"],
  [
    "one in a list",
    rule("  - do:", "      - say: a", "      - wait: soon"),
    'scripts/demo.yaml:5: rules[0].do[1].wait: a time such as "300ms", "2s" or "1m"',
  ],
  [
    "an unknown key",
    rule("  - whn: { agent: a }", "    do: { say: a }"),
    'scripts/demo.yaml:3: rules[0].whn: "whn" is unknown. Did you mean "when"? Known: when, times, do.',
  ],
  [
    "an unknown action",
    rule("  - do: { say: a }", "  - do:", "      sya: b"),
    'scripts/demo.yaml:5: rules[1].do.sya: "sya" is unknown. Did you mean "say"? Known: think, say, json, call, wait, fail, overlap.',
  ],
  [
    "two actions in one",
    rule("  - do: { say: a, think: b }"),
    "scripts/demo.yaml:3: rules[0].do: has say and think, of which only one may be there. Several make a list.",
  ],
  [
    "an unknown choice",
    rule("  - do: { fail: { code: tired } }"),
    "scripts/demo.yaml:3: rules[0].do.fail.code: is not one of the possible values. Known: overloaded, unreachable, malformed, no_key, wrong_key, no_credit, unknown_model, context_too_long, refused.",
  ],
  [
    "something missing",
    rule("  - when: { agent: a }"),
    "scripts/demo.yaml:3: rules[0].do: must have one of: think, say, json, call, wait, fail, overlap",
  ],
  ["a word instead of a list", "rules: none", "scripts/demo.yaml:1: rules: must be a list"],
  ["broken YAML", rule("  - do: { say: a", "  - do: b"), "scripts/demo.yaml:"],
])("[M140] %s is reported with its line and what would be right", async (_case, text, expected) => {
  const [first] = await problems(text);
  expect(first).toMatch(expected === "scripts/demo.yaml:" ? /^scripts\/demo\.yaml:\d+: / : expected);
});

test("[M141] all problems are reported, in the order of the file", async () => {
  expect((await problems(rule("  - do: { say: 1 }", "  - do: { think: 2 }", "    tmes: 3"))).map((text) => text.slice(0, 20))).toEqual([
    "scripts/demo.yaml:3:",
    "scripts/demo.yaml:4:",
    "scripts/demo.yaml:5:",
  ]);
});

test("[M140] the same for colloquy.yaml", async () => {
  const text = ["agents:", "  lead:", "    role: You lead.", "    tols: [files]", "models:", "  main: { provider: openay, id: x }"].join(
    "\n",
  );
  expect(await problems(text, Config)).toEqual([
    `scripts/demo.yaml:4: agents.lead.tols: "tols" is unknown. Did you mean "tools"? Known: ${Object.keys(AgentConfig.shape).join(", ")}.`,
    "scripts/demo.yaml:6: models.main.provider: is not one of the possible values. Known: openai, anthropic, openai-compatible, scripted.",
  ]);
});

test("[M142] the line of each value is known", async () => {
  const read = await readYaml(rule("  - do: { say: a }", "  - do:", "      say: b"), "x.yaml", Script);
  expect(read.ok && [read.where(["rules", 1, "do", "say"]), read.where([])]).toEqual(["x.yaml:5: rules[1].do.say", "x.yaml:1"]);
});
