import { defineCommand } from "../../line/command.ts";
import { isConfirmed } from "../../access/confirm.ts";
import { Driving, drivingOptions, tellNotices } from "../../access/driving.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { refused } from "../../line/failure.ts";
import { findDialog, isMain, mainOf, shortId } from "../../dialogs/ids.ts";
import { tell } from "../../line/output.ts";
import { withProject } from "../../dialogs/session.ts";
import { oneLine } from "../../terminal/visible.ts";
import { cut } from "../../terminal/width.ts";

export const dead = defineCommand({
  words: ["DIALOG"],
  options: { yes: { short: "y", about: { en: "do not ask", zh: "不作询问" } }, ...drivingOptions },
  about: {
    en:
      "Declares a side dialog dead, for good: it accepts no messages, its questions are withdrawn, and the dialogs waiting for it are told " +
      "that there will be no answer, and continue. A main dialog is closed with done or archive instead.",
    zh: "宣告一个子对话作废，不可恢复：它不再接收消息，提问会撤回；等它的对话会得知不会有答复，并继续进行。主对话请改用 done 或 archive。",
  },
  examples: [
    ["colloquy dead a1c97e", { en: "asks first", zh: "先作询问" }],
    ["colloquy dead a1c97e --yes", { en: "does not ask", zh: "不作询问" }],
  ],

  run: (call) =>
    withProject(
      call,
      async (project) => {
        const { values, shell, json } = call;
        const place = await findDialog(project, call.words[0] ?? "");
        const id = shortId(place.selfId);
        if (isMain(place))
          throw refused(
            "not_a_side_dialog",
            `${id} is a main dialog, which cannot be dead. Close it: colloquy done ${id}, or colloquy archive ${id}`,
          );
        const { agentId, title } = await project.view(place);
        const name = `${agentId}'s dialog ${id} "${cut(oneLine(title), 50)}"`;
        if (!(await isConfirmed(call, values.yes ?? false, `Declare ${name} dead?`, `colloquy dead ${id}`))) {
          tell(call, "Nothing was done.");
          return ExitCode.refused;
        }
        tellNotices(call, project);
        const driving = new Driving(call, project, values);
        const { seq } = await project.dead(place);
        if (!json)
          (values.wait ? shell.err : shell.out).write(
            shell.out.isTerminal ? `✕ ${id}  ${cut(oneLine(title), 50)} is dead.\n` : `${id}\tdead\n`,
          );
        return driving.finish(mainOf(place.rootId), { dead: place.selfId, seq });
      },
      "touched",
    ),
});
