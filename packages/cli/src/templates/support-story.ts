import type { Language } from "./team-template.ts";

/** The `support` team's first exchange, as a script plays it: the facts, a person's decision, the letter. */
export const supportStory: Readonly<Record<Language, string>> = {
  en: `  # Lead: the facts first, then a person, then the letter.
  - when: { agent: lead, step: 1, text: "1042" }
    do:
      - say: "The clerk knows the order. I promise nothing until I have the facts."
      - call: { tool: tellask, input: { targetAgentId: clerk, sessionSlug: order-1042, tellaskContent: "What was ordered in 1042, what happened, and what do our rules say about it?" } }
  - when: { agent: lead, result: tellask }
    do:
      - call:
          tool: askHuman
          input:
            headline: "Order 1042: a new bowl, or 38.00 back?"
            tellaskContent: "Ines Brandt ordered two tea bowls for 38.00; one arrived in three pieces, with a photo. Our rule leaves it to the customer, who said nothing, and a refund to you. I will write to her as soon as you have decided."
            options:
              - { label: A new bowl, pros: [no money leaves], cons: [she waits for it], recommended: true }
              - { label: Money back, pros: [done today], cons: ["38.00"] }
  - when: { agent: lead, result: askHuman, text: "/answered: (?<what>.*)/" }
    do:
      - call: { tool: write_file, input: { path: answers/1042.md, content: "Dear Ines Brandt,\\n\\nwe are sorry that a bowl arrived broken. This is what we do: {{match.what}}.\\n" } }
  - when: { agent: lead, result: write_file }
    do:
      - say: |
          The letter is in answers/1042.md. You decided it, by the rule for what arrives broken.

          (A script plays us: scripts/demo.yaml. For a real team set defaults.model in colloquy.yaml; colloquy models shows which are in reach.)
  # Clerk: files, and which fact comes from which.
  - when: { agent: clerk, step: 1, text: "1042" }
    do:
      - call: { tool: read_file, input: { path: orders/1042.md } }
      - call: { tool: read_file, input: { path: rules.md } }
  - when: { agent: clerk, result: read_file }
    do: { say: "Two tea bowls, 38.00; one arrived in three pieces, photo attached (orders/1042.md). What arrives broken is replaced or refunded, as the customer likes; a person decides every refund (rules.md)." }
  # Anything else.
`,
  zh: `  # 负责人：先弄清事实，再问人，然后写信。
  - when: { agent: lead, step: 1, text: "1042" }
    do:
      - say: "订单的事文员清楚。没有弄清事实之前我什么也不承诺。"
      - call: { tool: tellask, input: { targetAgentId: clerk, sessionSlug: order-1042, tellaskContent: "订单 1042 订了什么，出了什么事，我们的规则怎么说？" } }
  - when: { agent: lead, result: tellask }
    do:
      - call:
          tool: askHuman
          input:
            headline: "订单 1042：补一只新碗，还是退 38.00？"
            tellaskContent: "林晓订了两只茶碗，共 38.00；一只到货时碎成三块，附有照片。按规则由客户选择，而她没有说；退款由你决定。你一决定我就给她写信。"
            options:
              - { label: 补一只新碗, pros: [不用付钱], cons: [她要等], recommended: true }
              - { label: 退款, pros: [今天就办好], cons: ["38.00"] }
  - when: { agent: lead, result: askHuman, text: "/回答：(?<what>.*)/" }
    do:
      - call: { tool: write_file, input: { path: answers/1042.md, content: "林晓您好：\\n\\n茶碗到货时破损，非常抱歉。我们的处理是：{{match.what}}。\\n" } }
  - when: { agent: lead, result: write_file }
    do:
      - say: |
          信在 answers/1042.md。由你决定，依据是到货破损的规则。

          （扮演我们的是脚本 scripts/demo.yaml。要真正的团队，请在 colloquy.yaml 中设置 defaults.model；colloquy models 会列出可用的。）
  # 文员：查文件，并注明出处。
  - when: { agent: clerk, step: 1, text: "1042" }
    do:
      - call: { tool: read_file, input: { path: orders/1042.md } }
      - call: { tool: read_file, input: { path: rules.md } }
  - when: { agent: clerk, result: read_file }
    do: { say: "茶碗两只，38.00；一只到货时碎成三块，附照片（orders/1042.md）。到货破损的，按客户意愿换货或退款；每笔退款由人决定（rules.md）。" }
  # 其他情形。
`,
};
