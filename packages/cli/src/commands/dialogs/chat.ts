import { defineCommand } from "../../line/command.ts";
import { ChatSession } from "../../dialogs/chat-session.ts";
import { tellNotices } from "../../access/driving.ts";
import { wrongUsage } from "../../line/failure.ts";
import { findDialog, shortId } from "../../dialogs/ids.ts";
import { withProject } from "../../dialogs/session.ts";

export const chat = defineCommand({
  words: ["[DIALOG]"],
  options: { agent: { takes: "ID", about: "whom a new dialog is with (default: the team's default agent)" } },
  about:
    "A conversation in the terminal: what you type is a message, what the agents do is shown as they do it, and a question is " +
    "answered below it, by a number or in your own words. Without DIALOG your first line starts a new one. In a pipe each line is " +
    "heard when the one before it has had its effect. /help lists the commands.",
  examples: [
    ["colloquy chat", "a new dialog"],
    ["colloquy chat @", "continue the last one"],
    ["printf 'Sum up notes.md\\n' | colloquy chat", "from another program"],
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
        return new ChatSession(call, project, input, place, values.agent).run();
      },
      "touched",
    );
  },
});
