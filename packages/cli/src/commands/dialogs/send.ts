import { defineCommand } from "../../line/command.ts";
import { Driving, drivingOptions, tellNotices } from "../../access/driving.ts";
import { wrongUsage } from "../../line/failure.ts";
import { findDialog } from "../../dialogs/ids.ts";
import { imageOption, imagesAt } from "../../dialogs/images.ts";
import { mentionOption, mentionsIn } from "../../dialogs/mentions.ts";
import { tell } from "../../line/output.ts";
import { textFrom, withProject } from "../../dialogs/session.ts";

export const send = defineCommand({
  words: ["DIALOG", "TEXT…"],
  options: {
    ...drivingOptions,
    mention: mentionOption,
    now: { about: { en: "a waiting agent reads it at once, and keeps waiting", zh: "正在等待的智能体立即读到，并继续等待" } },
    image: imageOption,
    interrupt: { about: { en: "like --now, but interrupts the running step first", zh: "与 --now 相同，但先中断正在进行的一步" } },
  },
  about: {
    en:
      "Sends a message to a dialog (- reads TEXT from standard input). DIALOG is some digits of its id, its title in quotes, or @ " +
      "for the last one; a side dialog works as well. @name at the start of TEXT addresses another agent. The agent works until it has answered; a busy one " +
      "reads the message at its next step, and you are told what it is doing. A done dialog reopens; a stopped one keeps the " +
      "message until it is resumed.",
    zh: "向对话发送一条消息（- 表示从标准输入读取 TEXT）。DIALOG 是其 id 的几位、带引号的标题，或代表上一个对话的 @；也可以是子对话。TEXT 开头的 @名字 指定由另一个智能体答复。智能体会一直工作到答复为止；忙碌的智能体在下一步读到消息，并告诉你它正在做什么。已完成的对话会重新打开，已停止的对话把消息保留到继续之时。",
  },
  examples: [
    ['colloquy send @ "And in French, please"', { en: "to the last dialog", zh: "发给上一个对话" }],
    ['colloquy send @ "@reviewer @lead is this ready?"', { en: "two agents, one after the other", zh: "依次发给两个智能体" }],
    ['colloquy send @ --now "How far are you?"', { en: "although it waits for somebody", zh: "即使它正在等别人" }],
    [
      'colloquy send 7f3a2c --wait --timeout 5m "How far are you?"',
      { en: "the answer, or exit code 1 after five minutes", zh: "得到答复，或在五分钟后以退出码 1 结束" },
    ],
  ],

  async run(call) {
    const { values, words, shell, json } = call;
    if (values.now && values.interrupt) throw wrongUsage("--interrupt includes --now: use only one of them.");
    const [typed = "", ...text] = words;
    const content = await textFrom(text, call);
    const images = await imagesAt(values.image, shell.cwd);
    return withProject(
      call,
      async (project) => {
        const place = await findDialog(project, typed);
        tellNotices(call, project);
        const driving = new Driving(call, project, values);
        const { seq, ack } = await project.send(place, {
          content,
          ...(values.mention !== undefined && { mentions: mentionsIn(values.mention) }),
          ...(values.now && { now: true }),
          ...(values.interrupt && { interrupt: true }),
          ...(images.length > 0 && { images }),
        });
        // In a terminal the live view shows it.
        if (ack !== undefined && !json && !shell.out.isTerminal) tell(call, ack);
        const code = await driving.finish(place, { seq, ...(ack !== undefined && { ack }) });
        // A model may have taken a while to write it.
        if (ack === undefined && !json && !shell.out.isTerminal)
          for (const late of await project.acknowledgements(place, seq)) tell(call, late);
        return code;
      },
      "touched",
    );
  },
});
