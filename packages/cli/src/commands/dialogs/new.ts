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
    agent: { takes: "ID", about: "whose it is (default: whom TEXT addresses first, else the team's default agent)" },
    mention: mentionOption,
    task: { takes: "PATH", about: "the folder of the task that it belongs to" },
    image: imageOption,
    title: { takes: "TITLE", about: "what to call it (default: the first line of the text)" },
    ...drivingOptions,
  },
  about:
    "Starts a dialog with TEXT (- reads it from standard input) and prints its id. The agent works until it has answered; " +
    "in a terminal you see it think, speak and act. Leave with Ctrl-C whenever you like; resume continues it.",
  examples: [
    ['colloquy new "Draft an answer to order 1042"', "prints the id, then what the agent does"],
    ['answer=$(colloquy new --wait "Sum up notes.md")', "only the answer"],
    ["git diff | colloquy new --agent reviewer -", "the text from another program"],
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
