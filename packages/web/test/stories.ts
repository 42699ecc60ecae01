/** What an agent asks, with choices. */
const asks = (headline: string, options: readonly unknown[] = ["PostgreSQL", "SQLite"]) => ({
  call: { tool: "askHuman", input: { headline, tellaskContent: `${headline}\nIt decides how we go on.`, options } },
});

const LONG = Array.from({ length: 120 }, (_, nth) => `line ${nth + 1}`).join("\n");

/** "ask X": it asks a person. "thrice": it asks three like questions. "long": it writes a long file. "write X": it writes into danger/, which a person has to approve. "run X": it runs that command. Else it repeats what it heard. */
export const rules = [
  { when: { text: "/answered: (?<what>.*)/" }, do: { say: "We take {{match.what}}." } },
  { when: { result: "revise_question" }, do: { say: "Said plainer." } },
  {
    when: { step: 1, text: "plainer" },
    do: [{ call: { tool: "revise_question", input: { headline: "Which store for orders?", tellaskContent: "Which store for orders?" } } }],
  },
  { when: { text: "asks back" }, do: { say: "Because of the load." } },
  { when: { result: "write_file" }, do: { say: "Written." } },
  {
    when: { step: 1, text: "/^ask (?<what>.*)/" },
    do: [
      asks("Which {{match.what}}?", [
        { label: "PostgreSQL", pros: ["transactions"], cons: ["a server"], recommended: true },
        { label: "SQLite" },
      ]),
    ],
  },
  { when: { step: 1, text: "thrice" }, do: ["first", "second", "third"].map((nth) => asks(`May the ${nth} go?`, ["Yes", "No"])) },
  {
    when: { step: 1, text: "long" },
    do: [{ call: { tool: "write_file", input: { path: "danger/long.md", content: LONG } } }],
  },
  {
    when: { step: 1, text: "/^write (?<what>.*)/" },
    do: [{ call: { tool: "write_file", input: { path: "danger/{{match.what}}.md", content: "# {{match.what}}\n" } } }],
  },
  { when: { result: "run_command" }, do: { say: "It ran." } },
  { when: { step: 1, text: "/^run (?<what>.*)/" }, do: [{ call: { tool: "run_command", input: { command: "{{match.what}}" } } }] },
  {
    when: { step: 1, text: "slowly" },
    do: [{ say: "One. " }, { wait: "1500ms" }, { say: "Two. " }, { wait: "1500ms" }, { say: "Three, and done." }],
  },
  { do: { say: "I heard: {{text}}" } },
];

export const approvals = 'permissions: { "write_file(danger/**)": ask }\n';
