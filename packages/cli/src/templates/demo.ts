/** What the demo says first. */
export const demoMessage = "Order 1042 arrived broken, and the customer is unhappy. What do we do?";

/** A message that gives time to kill the process. */
export const slowMessage = "Check every order, slowly";

/** The clerk's letter; the script writes it. */
export const demoLetter = "answers/1042.md";

/** A ready project with a team of one, who needs neither key nor network. */
export const demoFiles: Readonly<Record<string, string>> = {
  "colloquy.yaml": `# A team of one. Its model is the script scripts/demo.yaml: no key, no network, no cost.
defaults: { model: scripted/demo }

agents:
  clerk:
    name: Clerk
    role: |
      You look after the orders of a small pottery.
      Read the order and rules.md before you promise anything. Put letters to customers into answers/.
    tools: [files]
    default: true
`,
  "rules.md": `# Rules of the house

- What arrives broken is replaced or refunded, as the customer likes. A photo is enough.
- Refunds of more than 50 are decided by a person.
- Nobody waits for an answer longer than a day.
`,
  "orders/1041.md": `# Order 1041

Customer: Jonas Weber
Ordered: one large vase, 74.00
Sent on Monday, arrived on Wednesday. Paid.
`,
  "orders/1042.md": `# Order 1042

Customer: Ines Brandt
Ordered: two tea bowls, 38.00
Note of the customer: one bowl arrived in three pieces, photo attached. They were a present.
`,
  "orders/1043.md": `# Order 1043

Customer: Mei Tanaka
Ordered: six small plates, 96.00
Not sent yet: waits for the second firing.
`,
  "scripts/demo.yaml": `# What the clerk thinks, says and does. The first rule that fits is played; change it and see.
description: The clerk of a small pottery
speed: 110   # characters per second

rules:
  # "${slowMessage}": an order in each step, with pauses. Kill it in the middle; resume goes on with the order that was next.
  # times: 1 lets each of these rules speak once in a dialog.
  - when: { step: 1, text: slowly }
    times: 1
    do:
      - think: "Three orders. I take them one after the other and write down what I find."
      - wait: 2s
      - say: "I begin with 1041."
      - call: { tool: read_file, input: { path: orders/1041.md } }
  - when: { step: 2, seen: slowly }
    times: 1
    do:
      - wait: 3s
      - say: "1041 arrived and is paid. Next is 1042."
      - call: { tool: read_file, input: { path: orders/1042.md } }
  - when: { step: 3, seen: slowly }
    times: 1
    do:
      - wait: 3s
      - say: "1042 has a broken bowl: somebody must write to her. Next is 1043."
      - call: { tool: read_file, input: { path: orders/1043.md } }
  - when: { step: 4, seen: slowly }
    times: 1
    do:
      - wait: 3s
      - say: "1043 waits for the second firing. I write it all down."
      - call: { tool: write_file, input: { path: report.md, content: "# Orders\\n\\n- 1041 arrived, paid\\n- 1042 one bowl broken, write to the customer\\n- 1043 waits for the second firing\\n" } }
  - when: { step: 5, seen: slowly }
    times: 1
    do: { say: "All three are checked; report.md has the list. If I was killed on the way, you cannot tell from it." }

  # The broken bowl.
  - when: { step: 1, text: "/broken|1042/i" }
    times: 1
    do:
      - think: "Somebody is unhappy. Before I promise anything I should know what was ordered and what our rules say."
      - say: "I look at the orders first."
      - call: { tool: list_dir, input: { path: orders } }
  - when: { result: list_dir }
    times: 1
    do:
      - call: { tool: read_file, input: { path: orders/1042.md } }
      - call: { tool: read_file, input: { path: rules.md } }
  - when: { step: 3, result: read_file }
    times: 1
    do:
      - think: "38.00 is below 50, so no person has to decide. A photo is there. It was a present: offer the new bowl first."
      - say: "The rules are clear. I draft the letter."
      - call:
          tool: write_file
          input:
            path: ${demoLetter}
            content: |
              Dear Ines Brandt,

              we are sorry about the bowl, all the more as it was a present. A new one leaves us tomorrow.
              If you would rather have your money back, one word is enough.

              Warm regards, the pottery
  - when: { step: 4, result: write_file }
    times: 1
    do:
      - say: |
          We send a new bowl tomorrow and offer the money instead.

          - Broken goods are replaced or refunded, as the customer likes, and the photo is there (rules.md).
          - 38.00 is below 50, so nobody else has to decide.
          - The letter is ready in ${demoLetter}.

  # Any order: what its file says.
  - when: { step: 1, text: "/104[123]/" }
    do:
      - say: "I look it up."
      - call: { tool: read_file, input: { path: "orders/{{match.0}}.md" } }
  - when: { result: read_file }
    do:
      - say: |
          That is all there is on it:

          {{result}}

  # Anything else.
  - do:
      - say: |
          I am a script with a few lines to say, and none fits "{{text}}".
          Ask me about order 1041, 1042 or 1043, or to check every order slowly. My lines are in scripts/demo.yaml: write me some more.
`,
};
