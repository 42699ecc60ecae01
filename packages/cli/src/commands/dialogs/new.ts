import { defineCommand } from "../../line/command.ts";
import { Driving, drivingOptions, tellNotices } from "../../access/driving.ts";
import { mainOf, shortId } from "../../dialogs/ids.ts";
import { imageOption, imagesAt } from "../../dialogs/images.ts";
import { mentionOption, mentionsIn } from "../../dialogs/mentions.ts";
import { rememberDialog } from "../../dialogs/last-dialog.ts";
import { textFrom, withProject } from "../../dialogs/session.ts";

export const newDialog = defineCommand({
  words: ["TEXT…"],
  options: {
    agent: {
      takes: "ID",
      about: {
        en: "its agent (default: the first one that TEXT addresses, else the team's default agent)",
        zh: "由哪个智能体负责（默认：TEXT 开头称呼的第一个，否则为团队的默认智能体）",
      },
    },
    mention: mentionOption,
    task: { takes: "PATH", about: { en: "the folder of the task that it belongs to", zh: "所属任务的文件夹" } },
    image: imageOption,
    title: { takes: "TITLE", about: { en: "its title (default: the first line of the text)", zh: "标题（默认：正文的第一行）" } },
    ...drivingOptions,
  },
  about: {
    en:
      "Starts a dialog with TEXT (- reads it from standard input) and prints its id. The agent works until it has answered; " +
      "in a terminal you see it think, speak and act. Leave with Ctrl-C whenever you like; resume continues it.",
    zh: "用 TEXT 开始一个对话（- 表示从标准输入读取），并打印其 id。智能体会一直工作到答复为止；在终端中可以看到它思考、说话和行动。随时可按 Ctrl-C 离开，之后用 resume 继续。",
  },
  examples: [
    [
      'colloquy new "Draft an answer to order 1042"',
      { en: "prints the id, then what the agent does", zh: "先打印 id，再显示智能体所做的事" },
    ],
    ['answer=$(colloquy new --wait "Sum up notes.md")', { en: "only the answer", zh: "只要答复" }],
    ["git diff | colloquy new --agent reviewer -", { en: "the text from another program", zh: "正文来自其他程序" }],
  ],

  async run(call) {
    const { values, words, shell, json } = call;
    const content = await textFrom(words, call);
    const images = await imagesAt(values.image, shell.cwd);
    return withProject(
      call,
      async (project) => {
        tellNotices(call, project);
        const driving = new Driving(call, project, values);
        const dialog = await project.createDialog({
          content,
          ...(values.agent !== undefined && { agent: values.agent }),
          ...(values.mention !== undefined && { mentions: mentionsIn(values.mention) }),
          ...(images.length > 0 && { images }),
          ...(values.title !== undefined && { title: values.title }),
          ...(values.task !== undefined && { taskDocPath: values.task }),
        });
        await rememberDialog(project.dir, dialog.id);
        if (!json) (values.wait ? shell.err : shell.out).write(`${shortId(dialog.id)}\n`);
        return driving.finish(mainOf(dialog.id), { seq: dialog.seq });
      },
      "touched",
    );
  },
});
