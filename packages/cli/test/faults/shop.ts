import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SETTINGS = `defaults: { model: scripted/load }
agents:
  lead: { name: Lead, role: "You lead.", tools: [shell], default: true }
  coder: { name: Coder, role: "You know the code." }
permissions: { "run_command(*)": allow }
limits: { concurrency: 64 }
orchestrator: { concurrency: 0 }
`;

// Slow models, so that steps are in flight when something happens.
const SCRIPT = `rules:
  - when: { agent: coder, result: askHuman }
    do: [{ wait: 3ms }, { say: "It was decided: {{result}}" }]
  - when: { agent: coder, text: "/decide (\\\\w+) soon/" }
    do: { call: { tool: askHuman, input: { tellaskContent: "{{match.1}}: which one?", deadline: 2h } } }
  - when: { agent: coder, text: "/decide (\\\\w+)/" }
    do:
      - wait: 3ms
      - call: { tool: askHuman, input: { headline: "{{match.1}}: which one?", tellaskContent: "The red one or the blue one?", options: [red, blue] } }
  - when: { agent: lead, result: run_command }
    do: [{ wait: 3ms }, { say: "Paid." }]
  - when: { agent: lead, result: tellaskSessionless }
    do: [{ wait: 3ms }, { say: "Decided." }]
  - when: { agent: lead, text: "/pay (\\\\w+)/" }
    do:
      - wait: 3ms
      - call: { tool: run_command, input: { command: "echo {{match.1}} >> paid/{{match.1}} && echo booked" } }
  - when: { agent: lead, text: "/decide (\\\\w+)/" }
    do:
      - wait: 3ms
      - call: { tool: tellaskSessionless, input: { targetAgentId: coder, tellaskContent: "decide {{match.1}}" } }
  - do: [{ wait: 3ms }, { say: "I heard: {{text}}" }]
`;

/** A project in which a lead pays (an effect that must not happen twice), lets a coder ask a person, or repeats what it hears. */
export const makeShop = (dir: string): void => fill(dir, SETTINGS, SCRIPT);

/** The same for several servers: only the payer uses files, so that all other work can move from one to another. */
export const makeSharedShop = (dir: string): void =>
  fill(
    dir,
    SETTINGS.replace("tools: [shell], default: true }", 'default: true }\n  payer: { name: Payer, role: "You pay.", tools: [shell] }'),
    SCRIPT.replaceAll("{ agent: lead, result: run_command }", "{ agent: payer, result: run_command }").replace(
      'when: { agent: lead, text: "/pay',
      `when: { agent: lead, text: "/pay (\\\\w+)/" }
    do:
      - wait: 3ms
      - call: { tool: tellaskSessionless, input: { targetAgentId: payer, tellaskContent: "pay {{match.1}}" } }
  - when: { agent: payer, text: "/pay`,
    ),
  );

function fill(dir: string, settings: string, script: string): void {
  mkdirSync(join(dir, "scripts"), { recursive: true });
  writeFileSync(join(dir, "colloquy.yaml"), settings);
  writeFileSync(join(dir, "scripts/load.yaml"), script);
  // One file each: two layers that change the same file conflict.
  mkdirSync(join(dir, "paid"));
}

/** How often each was paid, outside any log. */
export function paidIn(...dirs: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const files = dirs.flatMap((dir) => readdirSync(join(dir, "paid")).map((name) => join(dir, "paid", name)));
  const lines = files.flatMap((file) => readFileSync(file, "utf8").split("\n"));
  for (const key of lines) {
    if (key !== "") counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
