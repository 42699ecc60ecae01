import { defineCommand } from "../../line/command.ts";
import { ChatSession } from "../../dialogs/chat-session.ts";
import { tellNotices } from "../../access/driving.ts";
import { wrongUsage } from "../../line/failure.ts";
import { findDialog, shortId } from "../../dialogs/ids.ts";
import { withProject } from "../../dialogs/session.ts";

export const chat = defineCommand({
  words: ["[DIALOG]"],
  options: {
    agent: {
      takes: "ID",
      about: { en: "the agent of a new dialog (default: the team's default agent)", zh: "新对话的智能体（默认：团队的默认智能体）" },
    },
  },
  about: {
    en:
      "A conversation in the terminal: each line you type is a message, the agents' work is shown live, and you answer a question " +
      "below it, by number or in your own words. Without DIALOG your first line starts a new one. In a pipe each line waits until " +
      "the previous one has taken effect. /help lists the commands.",
    zh: "在终端里交谈：每输入一行就是一条消息，智能体的工作实时显示；有提问时，就在它下面用序号或自己的话回答。不给 DIALOG 时，第一行会开始一个新对话。在管道中，每一行都等上一行生效后才发送。/help 列出可用的命令。",
  },
  examples: [
    ["colloquy chat", { en: "a new dialog", zh: "新对话" }],
    ["colloquy chat @", { en: "continue the last one", zh: "接着上一个对话" }],
    ["printf 'Sum up notes.md\\n' | colloquy chat", { en: "from another program", zh: "由其他程序输入" }],
  ],

  async run(call) {
    const { shell, values, words, json } = call;
    if (json) throw wrongUsage("chat is for people. For programs: colloquy new --wait --json, colloquy send --wait --json");
    return withProject(
      call,
      async (project) => {
        const place = words[0] === undefined ? undefined : await findDialog(project, words[0]);
        tellNotices(call, project);
        const input = shell.input();
        if (input.isTerminal) {
          const { bold, dim } = shell.out.colours;
          const title = place ? `${(await project.view(place)).title} (${shortId(place.selfId)})` : "a new dialog";
          shell.out.write(`${bold(title)}  ${dim("/help lists the commands, /quit leaves")}\n`);
        }
        return new ChatSession(call, project, input, { place, agent: values.agent }).run();
      },
      "touched",
    );
  },
});
