import { defineCommand } from "../../line/command.ts";
import { Driving, drivingOptions, goOnText, tellNotices } from "../../access/driving.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { findQuestion, shortId } from "../../dialogs/ids.ts";
import { cardOf } from "../../dialogs/inbox.ts";
import { printJson, tell } from "../../line/output.ts";
import { overText } from "../../dialogs/question-decision.ts";
import { textFrom, withProject } from "../../dialogs/session.ts";
import { rememberShown } from "../../dialogs/shown-questions.ts";
import { cardText } from "../../terminal/question-card.ts";
import { visible } from "../../terminal/visible.ts";

export const askBack = defineCommand({
  words: ["Q", "TEXT…"],
  options: drivingOptions,
  about: {
    en:
      "Asks the agent something about its question, which stays open. Its reply is printed; it may change its question, which is " +
      "then shown again, or withdraw it.",
    zh: "就智能体的提问向它回问，提问保持未答。它的答复会打印出来；它可以修改提问（修改后重新显示），也可以撤回。",
  },
  examples: [['colloquy ask-back 4be1d0 "How many writers do you expect?"', ""]],

  async run(call) {
    const { values, words, shell, json } = call;
    const [typed = "", ...text] = words;
    const content = await textFrom(text, call);
    return withProject(
      call,
      async (project) => {
        tellNotices(call, project);
        const id = await findQuestion(project, typed);
        const before = await project.question(id);
        if (before.status !== "open") throw await overText(project, before, content, shell.now());
        const driving = new Driving(call, project, values);
        const { seq } = await project.askBack(id, content);
        const { rootId } = before.dialog;
        const left = await driving.untilQuiet([{ rootId, seq }]);
        driving.end();
        const question = await project.question(id);
        await rememberShown(project, [question]);
        const reply = question.thread.slice(before.thread.length + 1).findLast(({ by }) => by === question.agentId)?.content;
        if (json) printJson(call, { seq, ...(reply !== undefined && { reply }), question });
        // In a terminal it has just been streamed.
        else if (reply !== undefined && !shell.err.isTerminal) shell.out.write(`${visible(reply)}\n`);
        if (left !== undefined) {
          tell(call, `Left in the middle. ${goOnText(project, `resume ${shortId(rootId)}`)}`);
          return left === "timeout" ? ExitCode.refused : ExitCode.interrupted;
        }
        if (!json) shell.err.write(cardText(shell.err, await cardOf(project, question), shell.now()));
        return reply === undefined && question.status === "open" ? ExitCode.refused : ExitCode.done;
      },
      "touched",
    );
  },
});
