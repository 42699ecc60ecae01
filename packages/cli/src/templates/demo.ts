import type { Language } from "../line/language.ts";
import { demoLetter, type DemoStory } from "./demo-story.ts";
import { zhDemo } from "./demo-zh.ts";

/** The demo's first message. */
export const demoMessage = "Order 1042 arrived broken, and the customer is unhappy. What do we do?";

/** A message that leaves time to kill the process. */
const slowMessage = "Check every order, slowly";

/** A ready project with a team of three that needs neither key nor network. */
export const demoFiles: Readonly<Record<string, string>> = {
  "colloquy.yaml": `# A team of three. Their model is the script scripts/demo.yaml: no key, no network, no cost.
defaults: { model: scripted/demo }

agents:
  lead:
    name: Lead
    role: |
      You answer the customers of a small pottery. Let Clerk look at the order and the rules, and Potter at what can be made,
      both at once. Write the letter when you know what we offer, into answers/.
    tools: [files]
    default: true
  clerk:
    name: Clerk
    role: |
      You look things up: orders/ and rules.md. Answer with facts. If you do not know what is meant, ask back.
    tools: [files]
  potter:
    name: Potter
    role: |
      You know what can be made and until when; kiln.md has the firings. What costs us a firing is not yours to decide: ask a
      person, with the choices and what speaks for and against each.
    tools: [files]
`,
  "rules.md": `# Rules of the house

- What arrives broken is replaced or refunded, as the customer likes. A photo is enough.
- Refunds of more than 50 are decided by a person.
- Nobody waits for an answer longer than a day.
`,
  "kiln.md": `# The kiln

- Friday: second firing, room for two bowls left. A firing that is full costs nothing more; an extra one costs 60.
- Next firing: in two weeks.
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
  "scripts/demo.yaml": `# What the three think, say and do. For each step the first rule that fits is played; change it and see.
description: Lead, clerk and potter of a small pottery
speed: 110   # characters per second

rules:
  # The broken bowl. Lead asks two at once and waits until both have answered.
  - when: { agent: lead, step: 1, text: "/broken|1042/i" }
    times: 1
    do:
      - think: "Somebody is unhappy. What was ordered and what our rules say, Clerk knows; whether it can be made again, Potter."
      - say: "Two questions at once, then I'll write to her."
      - call:
          tool: delegate
          input:
            wait: all
            delegations:
              - { recipient: clerk, prompt: "What was ordered in 1042, what happened, and what do our rules allow?" }
              - { recipient: potter, prompt: "Can the bowls of order 1042 be made again, and until when?" }

  # Clerk reads, and asks back before it answers.
  - when: { agent: clerk, step: 1 }
    times: 1
    do:
      - call: { tool: read_file, input: { path: orders/1042.md } }
      - call: { tool: read_file, input: { path: rules.md } }
  - when: { agent: clerk, result: read_file }
    times: 1
    do:
      - think: "Two bowls were ordered, one is broken. That can be meant in two ways."
      - call: { tool: tellaskBack, input: { tellaskContent: "One of two bowls is broken. Do we speak of one bowl, or of the pair?" } }
  - when: { agent: lead, text: asks back }
    times: 1
    do: { say: "Of the pair: they were a present, and one new bowl beside an old one looks odd." }
  - when: { agent: clerk, result: tellaskBack }
    times: 1
    do:
      - say: |
          Ines Brandt ordered two tea bowls, 38.00, as a present. One arrived in three pieces; the photo is there.
          Our rules: replaced or refunded, as the customer likes. 38.00 is below 50, so nobody has to approve a refund.

  # Potter looks at the kiln, and leaves the decision to a person.
  - when: { agent: potter, step: 1 }
    times: 1
    do:
      - call: { tool: read_file, input: { path: kiln.md } }
  - when: { agent: potter, result: read_file }
    times: 1
    do:
      - think: "There is room for two bowls on Friday. Whether she gets them is a decision about money and goodwill: not mine."
      - call:
          tool: askHuman
          input:
            headline: "What do we offer Ines Brandt for the broken bowl?"
            tellaskContent: >
              One of two tea bowls (38.00, a present) arrived in three pieces. The second firing is on Friday and has room for two bowls;
              the next one is in two weeks. Lead writes to her as soon as you have decided.
            options:
              - { label: New pair, pros: [stays a present], cons: [until Tuesday], recommended: true }
              - { label: Money back, pros: [done today], cons: [no present then] }
              - { label: Both, pros: [she tells others], cons: [money and bowls] }
  - when: { agent: potter, text: "/answered: New pair/" }
    times: 1
    do: { say: "New pair: thrown tomorrow, fired on Friday, with her on Tuesday." }
  - when: { agent: potter, text: "/answered: Money back/" }
    times: 1
    do: { say: "Money back: nothing to make; the place in Friday's firing stays free." }
  - when: { agent: potter, text: "/answered: Both/" }
    times: 1
    do: { say: "Both: a new pair with her on Tuesday, and the money as well." }
  - when: { agent: potter, text: "/answered: (?<what>.*)/" }
    times: 1
    do: { say: "As it was decided: {{match.what}}" }
  - when: { agent: potter, result: askHuman }
    times: 1
    do: { say: "Nobody decided, so a new pair: there is room in Friday's firing." }

  # It comes together: the letter says what was decided.
  - when: { agent: lead, text: [Delegation responses received, "- Potter: New pair"] }
    times: 1
    do:
      - say: "Both have answered. I'll write to her now."
      - call:
          tool: write_file
          input:
            path: ${demoLetter}
            content: |
              Dear Ines Brandt,

              we are sorry about the bowl, all the more as it was a present. A new pair goes into the kiln on Friday and is with
              you on Tuesday. If you would rather have your money back, one word is enough.

              Warm regards, the pottery
  - when: { agent: lead, text: [Delegation responses received, "- Potter: Money back"] }
    times: 1
    do:
      - say: "Both have answered. I'll write to her now."
      - call:
          tool: write_file
          input:
            path: ${demoLetter}
            content: |
              Dear Ines Brandt,

              we are sorry about the bowl, all the more as it was a present. Your 38.00 are on their way back to you today.

              Warm regards, the pottery
  - when: { agent: lead, text: [Delegation responses received, "- Potter: Both"] }
    times: 1
    do:
      - say: "Both have answered. I'll write to her now."
      - call:
          tool: write_file
          input:
            path: ${demoLetter}
            content: |
              Dear Ines Brandt,

              we are sorry about the bowl, all the more as it was a present. Your 38.00 are on their way back to you today, and a
              new pair is with you on Tuesday: a present from us this time.

              Warm regards, the pottery
  - when: { agent: lead, text: [Delegation responses received, "/- Potter: (?<what>.*)/"] }
    times: 1
    do:
      - say: "Both have answered. I'll write to her now."
      - call:
          tool: write_file
          input:
            path: ${demoLetter}
            content: |
              Dear Ines Brandt,

              we are sorry about the bowl, all the more as it was a present. {{match.what}}

              Warm regards, the pottery
  - when: { agent: lead, result: write_file, seen: "/- Potter: (?<what>.*)/" }
    times: 1
    do:
      - say: |
          The letter to Ines Brandt is in ${demoLetter}.

          - What she gets: {{match.what}}
          - By which rule: broken goods are replaced or refunded, as the customer likes; below 50 (Clerk).
          - Who decided: you.

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

  # A person asks back about the question.
  - when: { agent: potter, text: asks back }
    do: { say: "A full firing costs us nothing more; an extra one would be 60. The clay is there." }

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

/** The demo in each language. */
export const demos: Readonly<Record<Language, DemoStory>> = { en: { message: demoMessage, files: demoFiles }, zh: zhDemo };
