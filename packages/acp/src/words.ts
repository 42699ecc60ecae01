interface Words {
  readonly approve: string;
  readonly approveLike: (pattern: string) => string;
  readonly deny: string;
  readonly later: string;
  readonly choice: string;
  readonly other: string;
  readonly answer: string;
  readonly inbox: (page: string | undefined) => string;
  readonly refused: (message: string) => string;
}

const WORDS: Readonly<Record<"en" | "zh", Words>> = {
  en: {
    approve: "Approve",
    approveLike: (pattern) => `Approve, and don't ask again in this dialog for ${pattern}`,
    deny: "Deny",
    later: "Answer later",
    choice: "Your choice",
    other: "Another answer",
    answer: "Your answer",
    inbox: (page) => (page === undefined ? "It stays open in the inbox." : `It stays open: ${page}`),
    refused: (message) => `Your decision was refused: ${message}`,
  },
  zh: {
    approve: "批准",
    approveLike: (pattern) => `批准，且在本对话中不再询问 ${pattern}`,
    deny: "拒绝",
    later: "稍后回答",
    choice: "你的选择",
    other: "其他回答",
    answer: "你的回答",
    inbox: (page) => (page === undefined ? "问题仍在收件箱中待回答。" : `问题仍待回答：${page}`),
    refused: (message) => `你的决定未被接受：${message}`,
  },
};

export const wordsIn = (language: "en" | "zh"): Words => WORDS[language];
