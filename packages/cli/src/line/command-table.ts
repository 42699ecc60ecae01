import type { Command } from "./command.ts";
import type { Said } from "./language.ts";

interface Row {
  readonly name: string;
  /** Other names of the same command. */
  readonly aliases?: readonly string[];
  /** One line for `help`. */
  readonly summary: Said;
  /** Shown to newcomers first. */
  readonly first?: true;
  readonly load: () => Promise<Command>;
}

/** Every command; its file is loaded when it is called. A new command is a file and a row. */
export const commandTable: readonly Row[] = [
  {
    name: "new",
    first: true,
    summary: { en: "start a dialog with an agent", zh: "让智能体开始一个对话" },
    load: async () => (await import("../commands/dialogs/new.ts")).newDialog,
  },
  {
    name: "send",
    first: true,
    summary: { en: "send a message to a dialog", zh: "向对话发送消息" },
    load: async () => (await import("../commands/dialogs/send.ts")).send,
  },
  {
    name: "questions",
    aliases: ["inbox", "q"],
    first: true,
    summary: { en: "questions for you (also: inbox, q)", zh: "等你回答的提问（也可写作 inbox、q）" },
    load: async () => (await import("../commands/questions/questions.ts")).questions,
  },
  {
    name: "answer",
    first: true,
    summary: { en: "answer a question", zh: "回答提问" },
    load: async () => (await import("../commands/questions/answer.ts")).answer,
  },
  {
    name: "ls",
    first: true,
    summary: { en: "list the dialogs", zh: "列出对话" },
    load: async () => (await import("../commands/dialogs/ls.ts")).ls,
  },
  {
    name: "show",
    first: true,
    summary: { en: "read a dialog or a question", zh: "阅读对话或提问" },
    load: async () => (await import("../commands/dialogs/show.ts")).show,
  },
  {
    name: "tree",
    first: true,
    summary: { en: "who waits for whom", zh: "谁在等谁" },
    load: async () => (await import("../commands/dialogs/tree.ts")).tree,
  },
  {
    name: "watch",
    first: true,
    summary: { en: "live view of everything; answer there", zh: "实时查看一切，并在那里回答" },
    load: async () => (await import("../commands/dialogs/watch.ts")).watch,
  },
  {
    name: "chat",
    summary: { en: "a conversation in the terminal", zh: "在终端里交谈" },
    load: async () => (await import("../commands/dialogs/chat.ts")).chat,
  },
  {
    name: "approve",
    summary: { en: "approve a call that waits for you", zh: "批准等你决定的调用" },
    load: async () => (await import("../commands/questions/approve.ts")).approve,
  },
  {
    name: "deny",
    summary: { en: "deny a call that waits for you", zh: "拒绝等你决定的调用" },
    load: async () => (await import("../commands/questions/deny.ts")).deny,
  },
  {
    name: "ask-back",
    summary: { en: "ask the agent back; the question stays open", zh: "向智能体回问，提问保持未答" },
    load: async () => (await import("../commands/questions/ask-back.ts")).askBack,
  },
  {
    name: "ask",
    summary: { en: "ask people, for a script or another program", zh: "由脚本或其他程序向人提问" },
    load: async () => (await import("../commands/questions/ask.ts")).ask,
  },
  {
    name: "dismiss",
    summary: { en: "close a question without an answer", zh: "对提问不作答" },
    load: async () => (await import("../commands/questions/dismiss.ts")).dismiss,
  },
  {
    name: "tasks",
    summary: { en: "list, create and run tasks", zh: "列出、创建和推进任务" },
    load: async () => (await import("../commands/project/tasks.ts")).tasks,
  },
  {
    name: "notices",
    summary: { en: "what agents did without asking", zh: "智能体未经询问所做的事" },
    load: async () => (await import("../commands/questions/notices.ts")).notices,
  },
  {
    name: "grants",
    summary: { en: "list and revoke standing approvals", zh: "列出和收回长期授权" },
    load: async () => (await import("../commands/questions/grants.ts")).grants,
  },
  {
    name: "effects",
    summary: { en: "what the team has done; settle unknown outcomes", zh: "团队做过的事；确定未知的结果" },
    load: async () => (await import("../commands/care/effects.ts")).effects,
  },
  {
    name: "undo",
    summary: { en: "undo the changes of a command", zh: "撤销一条命令的改动" },
    load: async () => (await import("../commands/dialogs/undo.ts")).undo,
  },
  {
    name: "fork",
    summary: { en: "copy a dialog up to some event; ask what if", zh: "把对话复制到某个事件为止；推演另一种回答" },
    load: async () => (await import("../commands/dialogs/fork.ts")).fork,
  },
  {
    name: "compare",
    summary: { en: "two dialogs side by side, such as forks", zh: "并排比较两个对话，例如分叉" },
    load: async () => (await import("../commands/care/compare.ts")).compare,
  },
  {
    name: "export",
    summary: { en: "write dialogs into a file", zh: "把对话写入文件" },
    load: async () => (await import("../commands/care/export.ts")).exportDialogs,
  },
  {
    name: "import",
    summary: { en: "make the dialogs of such a file", zh: "读入这样的文件" },
    load: async () => (await import("../commands/care/import.ts")).importDialogs,
  },
  {
    name: "backup",
    summary: { en: "add what is new in the project to a backup", zh: "把项目的新增内容加入备份" },
    load: async () => (await import("../commands/care/backup.ts")).backup,
  },
  {
    name: "restore",
    summary: { en: "make the project of a backup", zh: "用备份重建项目" },
    load: async () => (await import("../commands/care/restore.ts")).restore,
  },
  {
    name: "delete",
    summary: { en: "delete a dialog for good", zh: "彻底删除对话" },
    load: async () => (await import("../commands/care/delete.ts")).deleteDialog,
  },
  { name: "stop", summary: { en: "stop a dialog", zh: "停止对话" }, load: async () => (await import("../commands/dialogs/stop.ts")).stop },
  {
    name: "resume",
    summary: { en: "resume a stopped or interrupted dialog", zh: "继续被停止或中断的对话" },
    load: async () => (await import("../commands/dialogs/resume.ts")).resume,
  },
  {
    name: "done",
    summary: { en: "mark a dialog as done; a message reopens it", zh: "将对话标为完成；发消息会重新打开" },
    load: async () => (await import("../commands/project/done.ts")).done,
  },
  {
    name: "archive",
    summary: { en: "archive a dialog for good", zh: "归档对话，不可恢复" },
    load: async () => (await import("../commands/dialogs/archive.ts")).archive,
  },
  {
    name: "dead",
    summary: { en: "give up a side dialog for good", zh: "宣告子对话作废，不可恢复" },
    load: async () => (await import("../commands/questions/dead.ts")).dead,
  },
  {
    name: "clear-mind",
    summary: { en: "start a new course for an agent", zh: "让智能体开始新的一程" },
    load: async () => (await import("../commands/dialogs/clear-mind.ts")).clearMind,
  },
  {
    name: "change-mind",
    summary: { en: "read or change the Taskdoc of a dialog", zh: "阅读或修改对话的任务文档" },
    load: async () => (await import("../commands/dialogs/change-mind.ts")).changeMind,
  },
  {
    name: "remind",
    summary: { en: "reminders that an agent sees in every course", zh: "智能体在每一程都会读到的提醒项" },
    load: async () => (await import("../commands/dialogs/remind.ts")).remind,
  },
  {
    name: "phase",
    summary: { en: "show or change the phase of a dialog", zh: "显示或改变对话的阶段" },
    load: async () => (await import("../commands/dialogs/phase.ts")).phase,
  },
  {
    name: "serve",
    summary: { en: "run the server: API and web app", zh: "运行服务器：API 和网页" },
    load: async () => (await import("../commands/project/serve.ts")).serve,
  },
  {
    name: "open",
    summary: { en: "open the web app in the browser", zh: "在浏览器中打开网页" },
    load: async () => (await import("../commands/project/open.ts")).open,
  },
  {
    name: "users",
    summary: { en: "manage people and their links", zh: "管理人员及其链接" },
    load: async () => (await import("../commands/project/users.ts")).users,
  },
  {
    name: "projects",
    summary: { en: "your list of projects", zh: "你的项目列表" },
    load: async () => (await import("../commands/project/projects.ts")).projects,
  },
  {
    name: "status",
    summary: { en: "the project in ten lines (colloquy alone does the same)", zh: "用十行说明项目（单独的 colloquy 也一样）" },
    load: async () => (await import("../commands/project/status.ts")).status,
  },
  {
    name: "log",
    summary: { en: "every event of a dialog, as it is on disk", zh: "对话的每个事件，与磁盘上一致" },
    load: async () => (await import("../commands/dialogs/log.ts")).log,
  },
  {
    name: "search",
    summary: { en: "find words in all dialogs", zh: "在所有对话中查找" },
    load: async () => (await import("../commands/dialogs/search.ts")).search,
  },
  {
    name: "usage",
    summary: { en: "tokens and costs", zh: "词元和费用" },
    load: async () => (await import("../commands/project/usage.ts")).usage,
  },
  { name: "agents", summary: { en: "the team", zh: "团队" }, load: async () => (await import("../commands/project/agents.ts")).agents },
  {
    name: "nodes",
    summary: { en: "the servers that share a project in a database", zh: "共用数据库中同一项目的服务器" },
    load: async () => (await import("../commands/project/nodes.ts")).nodes,
  },
  {
    name: "models",
    summary: { en: "list and test models", zh: "列出和测试模型" },
    load: async () => (await import("../commands/project/models.ts")).models,
  },
  {
    name: "trust",
    summary: { en: "review and trust a folder", zh: "查看并信任一个文件夹" },
    load: async () => (await import("../commands/project/trust.ts")).trust,
  },
  {
    name: "move",
    summary: { en: "move the project's log to PostgreSQL, or back to a folder", zh: "把项目的日志移到 PostgreSQL，或移回文件夹" },
    load: async () => (await import("../commands/project/move.ts")).move,
  },
  {
    name: "acp",
    summary: { en: "an agent for your editor, on standard input and output", zh: "在标准输入输出上充当编辑器的代理" },
    load: async () => (await import("../commands/project/acp.ts")).acp,
  },
  {
    name: "mcp",
    summary: { en: "an MCP server on standard input and output", zh: "在标准输入输出上充当 MCP 服务器" },
    load: async () => (await import("../commands/project/mcp.ts")).mcp,
  },
  {
    name: "nostr",
    summary: { en: "the team's keys and relays on Nostr", zh: "团队在 Nostr 上的密钥和中继" },
    load: async () => (await import("../commands/project/nostr.ts")).nostr,
  },
  {
    name: "doctor",
    summary: { en: "check and repair the project", zh: "检查和修复项目" },
    load: async () => (await import("../commands/project/doctor.ts")).doctor,
  },
  {
    name: "demo",
    summary: { en: "try a ready-made team, without a key", zh: "试用现成的团队，无须密钥" },
    load: async () => (await import("../commands/project/demo.ts")).demo,
  },
  {
    name: "init",
    summary: { en: "create a project in a folder", zh: "在文件夹中创建项目" },
    load: async () => (await import("../commands/project/init.ts")).init,
  },
  {
    name: "completion",
    summary: { en: "shell completion", zh: "shell 补全" },
    load: async () => (await import("../commands/completion.ts")).completion,
  },
  {
    name: "help",
    summary: { en: "this page; help COMMAND for one of them", zh: "本页；help COMMAND 说明其中一个" },
    load: async () => (await import("../commands/help.ts")).help,
  },
];

/** Commands of parts that this version lacks: refused as such. */
export const notBuiltYet: readonly string[] = ["notify"];

/** A command with the letters of the input, in any order, except for one. */
export function similarCommand(typed: string): string | undefined {
  const missing = (from: string, other: string) => [...from].reduce((left, letter) => left.replace(letter, ""), other).length;
  return commandTable.map(({ name }) => name).find((name) => missing(typed, name) <= 1 && missing(name, typed) <= 1);
}
