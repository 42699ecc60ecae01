import { folder } from "./support.ts";

const SETTINGS = `defaults: { model: scripted/play }
agents:
  lead: { name: Lead, role: "You lead.", tools: [files], default: true }
  coder: { name: Coder, role: "You code.", tools: [files] }
  reviewer: { name: Reviewer, role: "You review." }
`;

/** Lead asks coder (in a session) and reviewer; coder asks lead back, then a person. The result contains the person's choice. */
const STORY = `rules:
  - when: { agent: lead, step: 1, text: orders }
    times: 1
    do:
      - say: "I ask both."
      - call: { tool: tellask, input: { targetAgentId: coder, sessionSlug: schema, tellaskContent: "Design the schema for orders" } }
      - call: { tool: tellaskSessionless, input: { targetAgentId: reviewer, tellaskContent: "Review the draft" } }
  - when: { agent: coder, step: 1, text: Design }
    times: 1
    do: { call: { tool: tellaskBack, input: { tellaskContent: "Soft delete?" } } }
  - when: { agent: lead, text: asks back }
    times: 1
    do: { say: "Yes, by time." }
  - when: { agent: coder, result: tellaskBack }
    times: 1
    do:
      - say: "Two ways are possible."
      - call:
          tool: askHuman
          input:
            headline: "Which database for orders?"
            tellaskContent: "Orders need a home. It is hard to undo."
            options:
              - { label: PostgreSQL, pros: ["transactions, we run it"], cons: [a server], recommended: true }
              - { label: SQLite, pros: [nothing to run], cons: [one writer] }
  - when: { agent: coder, text: better }
    do: { call: { tool: revise_question, input: { headline: "Which one?", options: [{ label: MySQL }, { label: PostgreSQL }] } } }
  - when: { agent: coder, result: revise_question }
    do: { say: "I have asked anew." }
  - when: { agent: coder, text: asks back about }
    do: { say: "Two writers at most." }
  - when: { agent: coder, text: "/answered: (?<what>.*)/" }
    times: 1
    do: { say: "The schema is for {{match.what}}." }
  - when: { agent: coder, text: "/will not|nobody will answer|withdrawn|not run/i" }
    times: 1
    do: { say: "I decided myself: {{text}}" }
  - when: { agent: reviewer }
    times: 1
    do: { say: "The draft is fine." }
  - when: { agent: lead, text: "/(?<what>The schema is for .*|I decided myself[^]*)/" }
    times: 1
    do: { say: "All is done. {{match.what}}" }
  - do: { say: "{{agent}} heard: {{text}}" }
`;

export const team = (script = STORY, files: Readonly<Record<string, string>> = {}): string =>
  folder({ "colloquy.yaml": SETTINGS, "scripts/play.yaml": script, ...files });
