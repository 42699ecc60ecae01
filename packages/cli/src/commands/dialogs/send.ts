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
    now: { about: "an agent that waits reads it at once, and waits on" },
    image: imageOption,
    interrupt: { about: "as --now, and what it is doing is broken off first" },
  },
  about:
    "Says more in a dialog (TEXT of - is read from standard input). DIALOG is some digits of its id, its title in quotes, or @ " +
    "for the last one; a side dialog can be spoken to as well. @name at the start of TEXT brings another agent in. The agent works until it has answered; one that is busy " +
    "reads the message at its next step, and you are told what it is doing. A dialog that was done is open again; a stopped one keeps the " +
    "message until it is resumed.",
  examples: [
    ['colloquy send @ "And in French, please"', "to the last dialog"],
    ['colloquy send @ "@reviewer @lead is this ready?"', "two agents, one after the other"],
    ['colloquy send @ --now "How far are you?"', "although it waits for somebody"],
    ['colloquy send 7f3a2c --wait --timeout 5m "How far are you?"', "the answer, or exit code 1 after five minutes"],
  ],

  async run(call) {
    const { values, words, shell, json } = call;
    if (values.now && values.interrupt) throw wrongUsage("--interrupt is --now and more: give one of them.");
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
        // In a terminal it is told with what follows.
        if (ack !== undefined && !json && !shell.out.isTerminal) tell(call, ack);
        const code = await driving.finish(place, { seq, ...(ack !== undefined && { ack }) });
        // A model may have taken its time to say it.
        if (ack === undefined && !json && !shell.out.isTerminal)
          for (const late of await project.acknowledgements(place, seq)) tell(call, late);
        return code;
      },
      "touched",
    );
  },
});
