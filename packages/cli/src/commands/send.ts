import { defineCommand } from "../command.ts";
import { Driving, drivingOptions, tellNotices } from "../driving.ts";
import { findDialog } from "../ids.ts";
import { textFrom, withProject } from "../session.ts";

export const send = defineCommand({
  words: ["DIALOG", "TEXT…"],
  options: {
    ...drivingOptions,
    mention: { takes: "A,B", about: "who is addressed", notBuiltYet: true },
    now: { about: "wake it at once", notBuiltYet: true },
    interrupt: { about: "break off its step", notBuiltYet: true },
  },
  about:
    "Says more in a dialog (TEXT of - is read from standard input). DIALOG is some digits of its id, its title in quotes, or @ " +
    "for the last one; a side dialog can be spoken to as well. The agent works until it has answered. A dialog that was done is open again; a stopped one keeps the " +
    "message until it is resumed.",
  examples: [
    ['colloquy send @ "And in French, please"', "to the last dialog"],
    ['colloquy send 7f3a2c --wait --timeout 5m "How far are you?"', "the answer, or exit code 1 after five minutes"],
  ],

  async run(call) {
    const { values, words } = call;
    const [typed = "", ...text] = words;
    const content = await textFrom(text, call);
    return withProject(
      call,
      async (project) => {
        const place = await findDialog(project, typed);
        tellNotices(call, project);
        const driving = new Driving(call, project, values);
        const { seq } = await project.send(place, { content });
        return driving.finish(place, { seq });
      },
      "touched",
    );
  },
});
