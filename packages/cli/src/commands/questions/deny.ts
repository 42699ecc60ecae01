import { defineCommand } from "../../line/command.ts";
import { drivingOptions } from "../../access/driving.ts";
import { findQuestion } from "../../dialogs/ids.ts";
import { decideQuestion } from "../../dialogs/question-decision.ts";
import { withProject } from "../../dialogs/session.ts";
import { lastShown } from "../../dialogs/shown-questions.ts";

export const deny = defineCommand({
  words: ["Q"],
  options: { why: { takes: "TEXT", about: "what the agent is told" }, ...drivingOptions },
  about: "Denies an approval: the call is not run, nor are those behind it in the same step; the agent is told why and continues.",
  examples: [['colloquy deny 90aa17 --why "We have that already"', ""]],

  run: (call) =>
    withProject(
      call,
      async (project) => {
        const { why } = call.values;
        const id = await findQuestion(project, call.words[0] ?? "");
        const shown = await lastShown(project, id);
        const how = { ...(why !== undefined && { why }), ...(shown !== undefined && { shown }) };
        return decideQuestion(call, project, id, call.values, () => project.deny(id, how), why);
      },
      "touched",
    ),
});
