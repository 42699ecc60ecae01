/** What an agent asks, with choices. */
const asks = (headline: string, options: readonly unknown[] = ["PostgreSQL", "SQLite"]) => ({
  call: { tool: "askHuman", input: { headline, tellaskContent: `${headline}\nIt decides how we go on.`, options } },
});

/** "ask X": it asks a person. "write X": it writes into danger/, which a person has to approve. Else it repeats what it heard. */
export const rules = [
  { when: { text: "/answered: (?<what>.*)/" }, do: { say: "We take {{match.what}}." } },
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
  {
    when: { step: 1, text: "/^write (?<what>.*)/" },
    do: [{ call: { tool: "write_file", input: { path: "danger/{{match.what}}.md", content: "# {{match.what}}\n" } } }],
  },
  {
    when: { step: 1, text: "slowly" },
    do: [{ say: "One. " }, { wait: "1500ms" }, { say: "Two. " }, { wait: "1500ms" }, { say: "Three, and done." }],
  },
  { do: { say: "I heard: {{text}}" } },
];

export const approvals = 'permissions: { "write_file(danger/**)": ask }\n';
