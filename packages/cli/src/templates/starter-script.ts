import type { Language } from "./team-template.ts";

/** Played when no other rule of the script matches. */
const rules: Readonly<Record<Language, string>> = {
  en: `  - when: { step: 1 }
    do:
      - think: "A new message. I look at the folder before I answer."
      - say: "Let me look at what is here."
      - call: { tool: list_dir, input: { path: "." } }
  - when: { result: list_dir }
    do:
      - say: |
          This folder holds:

          {{result}}

          I am a script (scripts/demo.yaml), not a model: I can look, but I do not understand.
          Set defaults.model in colloquy.yaml to a real one; colloquy models shows which are in reach.
  - do: { say: "I heard you: {{text}}" }
`,
  zh: `  - when: { step: 1 }
    do:
      - think: "来了一条新消息。回答之前我先看看文件夹。"
      - say: "我先看看这里有什么。"
      - call: { tool: list_dir, input: { path: "." } }
  - when: { result: list_dir }
    do:
      - say: |
          这个文件夹里有：

          {{result}}

          我只是一个脚本（scripts/demo.yaml），不是模型：能看，但不理解。
          请在 colloquy.yaml 中把 defaults.model 设为真正的模型；colloquy models 会列出可用的。
  - do: { say: "我听到了：{{text}}" }
`,
};

/** `scripts/demo.yaml` of a new project without a model; `story`: rules before the general ones. */
export const starterScript = (language: Language, story = ""): string =>
  language === "zh"
    ? `description: 在有真正的模型之前由它扮演智能体。执行第一条符合的规则。
speed: 60   # 每秒字符数
rules:
${story}${rules.zh}`
    : `description: Plays the agents until there is a real model. The first rule that fits is played.
speed: 120   # characters per second
rules:
${story}${rules.en}`;
