import type { Language, TeamTemplate } from "./team-template.ts";

/** One agent for everything. */
export const solo: Readonly<Record<Language, TeamTemplate>> = {
  en: {
    about: "one agent who reads and writes files in this folder",
    agents: `  helper:
    name: Helper
    role: |
      You help with whatever is in this folder: notes, texts, tables, plans.
      Look before you speak: read what is there, and say where you found it.
      Write files only when you are asked for something that belongs into one.
      Say what you do not know. Keep answers short.
    tools: [files]
    default: true
`,
    files: {},
    team: ["helper"],
    firstMessage: "What is in this folder, and what could you do with it?",
  },
  zh: {
    about: "一个智能体，读写此文件夹中的文件",
    agents: `  helper:
    name: 助手
    role: |
      你协助处理此文件夹中的一切：笔记、文稿、表格、计划。
      先看再说：读一读已有的内容，并说明出处。
      只有当所求之物确实应当成为文件时才写文件。
      不知道的就说不知道。回答要简短。
    tools: [files]
    default: true
`,
    files: {},
    team: ["helper"],
    firstMessage: "这个文件夹里有什么？你能用它做什么？",
  },
};
