import type { Language } from "../line/language.ts";

/** What the command `demo` says. Commands are passed in as the person would type them. */
export interface DemoTexts {
  readonly ready: (shown: string, isNew: boolean) => string;
  readonly itsLines: (path: string) => string;
  readonly served: (link: string, kill: string, again: string, play: string) => string;
  readonly intro: (shown: string) => string;
  readonly you: string;
  readonly nobodyAsked: (nth: number, label: string) => string;
  readonly left: (command: string) => string;
  readonly leftOpen: (command: string) => string;
  readonly onDisk: string;
  readonly letter: string;
  readonly log: string;
  readonly look: string;
  readonly thisDialog: string;
  readonly everyEvent: string;
  readonly live: string;
  readonly hardPart: string;
  readonly again: string;
  readonly secondTerminal: string;
  readonly otherEnd: string;
}

export const demoTexts: Readonly<Record<Language, DemoTexts>> = {
  en: {
    ready: (shown, isNew) => `${isNew ? "A demo is ready" : "The demo is still there"} in ${shown}. No key needed.`,
    itsLines: (path) => `Its lines are in ${path}: change them and see what happens.`,
    served: (link, kill, again, play) => `
Open ${link}

A team of three is at work there. Within seconds it asks you something, and what you choose decides how it ends.

Try the hard part: kill it while it works or waits, start it again, and look at the page: it continues.
  ${kill}
  ${again}

In the terminal instead: ${play}
`,
    intro: (shown) => `A team of three in ${shown}. No key, no network: their lines are in scripts/demo.yaml.`,
    you: "you     ",
    nobodyAsked: (nth, label) => `(Nobody is asked here: taking ${nth}, ${label}.)`,
    left: (command) => `Left in the middle. Nothing was lost. Continue: ${command}`,
    leftOpen: (command) => `It waits, for weeks if it must, and no process has to run. Continue: ${command}`,
    onDisk: "What it left on disk",
    letter: "the letter",
    log: "the log: every word, call and answer",
    look: "Look at it",
    thisDialog: "this dialog (@ is the last one)",
    everyEvent: "every event",
    live: "everything, live",
    hardPart: "Try the hard part: kill it while the question is open, then answer",
    again: "again, until it asks you",
    secondTerminal: "in a second terminal",
    otherEnd: "continue to a different end",
  },
  zh: {
    ready: (shown, isNew) => `${isNew ? "演示已建好" : "演示还在"}：${shown}。无须密钥。`,
    itsLines: (path) => `台词在 ${path}：改一改，看看会怎样。`,
    served: (link, kill, again, play) => `
请打开 ${link}

三个智能体的团队正在那里工作。几秒钟之内它会问你一件事，你的选择决定结局。

试试最难的部分：趁它工作或等待时杀掉它，再启动，看看页面：它会接着干。
  ${kill}
  ${again}

也可以在终端里：${play}
`,
    intro: (shown) => `${shown} 里有三个智能体。无须密钥，不用网络：台词在 scripts/demo.yaml。`,
    you: "你      ",
    nobodyAsked: (nth, label) => `（这里没有人可问：取 ${nth}，${label}。）`,
    left: (command) => `中途离开，什么都没有丢。继续：${command}`,
    leftOpen: (command) => `它在等，需要的话等上几周，不必有进程运行。继续：${command}`,
    onDisk: "它在磁盘上留下了什么",
    letter: "那封信",
    log: "日志：每一句话、每个调用和回答",
    look: "看一看",
    thisDialog: "这个对话（@ 代表上一个）",
    everyEvent: "每个事件",
    live: "实时查看一切",
    hardPart: "试试最难的部分：提问未答时杀掉它，然后回答",
    again: "再来一次，直到它问你",
    secondTerminal: "在另一个终端",
    otherEnd: "走向另一个结局",
  },
};
