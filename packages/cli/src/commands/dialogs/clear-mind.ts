import { defineCommand } from "../../line/command.ts";
import { Driving, drivingOptions, tellNotices } from "../../access/driving.ts";
import { findDialog, shortId } from "../../dialogs/ids.ts";
import { withProject } from "../../dialogs/session.ts";

export const clearMind = defineCommand({
  words: ["DIALOG"],
  options: { reminder: { takes: "TEXT", about: { en: "what it should still know", zh: "它仍须知道的内容" } }, ...drivingOptions },
  about: {
    en:
      "Clears the mind of a dialog's agent: a new course starts, and earlier messages are no longer shown to it. Reminders, " +
      "open asks and sessions stay; its questions are withdrawn.",
    zh: "清空对话中智能体的思路：新的一程开始，之前的消息不再给它看。提醒项、未结的请托和会话保留，它的提问会撤回。",
  },
  examples: [['colloquy clear-mind @ --reminder "Ids are UUIDs"', ""]],

  run: (call) =>
    withProject(
      call,
      async (project) => {
        const { values, shell, json } = call;
        const place = await findDialog(project, call.words[0] ?? "");
        tellNotices(call, project);
        const driving = new Driving(call, project, values);
        const { seq } = await project.clearMind(place, { ...(values.reminder !== undefined && { reminder: values.reminder }) });
        const { course } = await project.view(place);
        const id = shortId(place.selfId);
        if (!json)
          (values.wait ? shell.err : shell.out).write(
            shell.out.isTerminal ? `${id}  course ${course} begins with a clear mind.\n` : `${id}\tcourse\t${course}\n`,
          );
        return driving.finish(place, { seq });
      },
      "touched",
    ),
});
