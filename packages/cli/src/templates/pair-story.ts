import type { Language } from "./team-template.ts";

/** The `pair` team's first exchange, as a script plays it: a draft, a review, a person's decision, the text. */
export const pairStory: Readonly<Record<Language, string>> = {
  en: `  # Writer: a draft, then other eyes, then what only a person can say.
  - when: { agent: writer, step: 1, text: invitation }
    do:
      - say: "First a draft, then other eyes."
      - call: { tool: write_file, input: { path: drafts/invitation.md, content: "# Summer party\\n\\nDear neighbours, we celebrate, and you are invited. Bring something to eat.\\n" } }
  - when: { agent: writer, result: write_file }
    times: 1
    do:
      - call: { tool: tellask, input: { targetAgentId: reviewer, sessionSlug: review, tellaskContent: "Please read drafts/invitation.md. It is for the whole street, and everybody should know when and where to come." } }
  - when: { agent: writer, result: tellask }
    do:
      - call:
          tool: askHuman
          input:
            headline: "On which Saturday is the party?"
            tellaskContent: "The invitation is written, but it names no day, as the reviewer remarks. The street is free on both."
            options:
              - { label: 13 June, pros: [before the holidays], cons: [two weeks from now], recommended: true }
              - { label: 4 July, pros: [time to prepare], cons: [many are away] }
  - when: { agent: writer, result: askHuman, text: "/answered: (?<what>.*)/" }
    do:
      - call: { tool: write_file, input: { path: drafts/invitation.md, content: "# Summer party, {{match.what}}\\n\\nDear neighbours, we celebrate in our street from five o'clock, and you are all invited. Bring something to eat, and a chair.\\n" } }
  - when: { agent: writer, result: write_file }
    do:
      - say: |
          The invitation is in drafts/invitation.md, with the day that you chose and the time that was missing.
          I followed both remarks.

          (A script plays us: scripts/demo.yaml. For a real team set defaults.model in colloquy.yaml; colloquy models shows which are in reach.)
  # Reviewer: reads, and changes nothing.
  - when: { agent: reviewer, step: 1, text: invitation }
    do: { call: { tool: read_file, input: { path: drafts/invitation.md } } }
  - when: { agent: reviewer, result: read_file }
    do:
      - say: |
          It is warm and short. Two remarks:
          1. No day and no hour: nobody can come. A person has to name the day.
          2. "Bring something" leaves out chairs; the street has none.
  # Anything else.
`,
  zh: `  # 写作者：先起草，再请人看，然后问只有人才知道的事。
  - when: { agent: writer, step: 1, text: 邀请 }
    do:
      - say: "先起草，再请别人看。"
      - call: { tool: write_file, input: { path: drafts/invitation.md, content: "# 夏日聚会\\n\\n各位邻居，我们要办聚会，欢迎大家来。请带些吃的。\\n" } }
  - when: { agent: writer, result: write_file }
    times: 1
    do:
      - call: { tool: tellask, input: { targetAgentId: reviewer, sessionSlug: review, tellaskContent: "请看 drafts/invitation.md 里的邀请信。它发给整条街的邻居，大家应当知道何时来、到哪里。" } }
  - when: { agent: writer, result: tellask }
    do:
      - call:
          tool: askHuman
          input:
            headline: "聚会定在哪个星期六？"
            tellaskContent: "邀请信写好了，但审阅者指出没有日期。这两天街道都可以用。"
            options:
              - { label: 6 月 13 日, pros: [在假期之前], cons: [只剩两周], recommended: true }
              - { label: 7 月 4 日, pros: [来得及准备], cons: [很多人外出] }
  - when: { agent: writer, result: askHuman, text: "/回答：(?<what>.*)/" }
    do:
      - call: { tool: write_file, input: { path: drafts/invitation.md, content: "# 夏日聚会，{{match.what}}\\n\\n各位邻居，我们五点起在街上聚会，欢迎大家来。请带些吃的和一把椅子。\\n" } }
  - when: { agent: writer, result: write_file }
    do:
      - say: |
          邀请信在 drafts/invitation.md，写上了你选的日期和原来缺少的时间。
          两条意见都采纳了。

          （扮演我们的是脚本 scripts/demo.yaml。要真正的团队，请在 colloquy.yaml 中设置 defaults.model；colloquy models 会列出可用的。）
  # 审阅者：只读，不改。
  - when: { agent: reviewer, step: 1, text: 邀请 }
    do: { call: { tool: read_file, input: { path: drafts/invitation.md } } }
  - when: { agent: reviewer, result: read_file }
    do:
      - say: |
          语气亲切，篇幅合适。两条意见：
          1. 没有日期和时间，谁也来不了。日期要由人来定。
          2. “请带些吃的”没有提椅子，街上没有椅子。
  # 其他情形。
`,
};
