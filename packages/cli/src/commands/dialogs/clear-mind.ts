import { defineCommand } from "../../line/command.ts";
import { Driving, drivingOptions, tellNotices } from "../../access/driving.ts";
import { findDialog, shortId } from "../../dialogs/ids.ts";
import { withProject } from "../../dialogs/session.ts";

export const clearMind = defineCommand({
  words: ["DIALOG"],
  options: { reminder: { takes: "TEXT", about: "what it should still know" }, ...drivingOptions },
  about:
    "Clears the mind of a dialog's agent: a new course begins, and nothing that was said before is shown to it any more. Reminders, " +
    "open asks and the sessions that it keeps stay; its questions are withdrawn.",
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
