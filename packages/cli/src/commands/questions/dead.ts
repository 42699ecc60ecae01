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
  options: { yes: { short: "y", about: "do not ask" }, ...drivingOptions },
  about:
    "Declares a side dialog dead, for good: it takes no more messages, its questions are withdrawn, and the dialogs waiting for it are told " +
    "that there will be no answer, and continue. A main dialog is closed with done or archive instead.",
  examples: [
    ["colloquy dead a1c97e", "asks first"],
    ["colloquy dead a1c97e --yes", "does not ask"],
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
