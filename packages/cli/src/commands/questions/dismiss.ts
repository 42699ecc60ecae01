import { defineCommand } from "../../line/command.ts";
import { drivingOptions } from "../../access/driving.ts";
import { findQuestion } from "../../dialogs/ids.ts";
import { decideQuestion } from "../../dialogs/question-decision.ts";
import { withProject } from "../../dialogs/session.ts";

export const dismiss = defineCommand({
  words: ["Q"],
  options: { why: { takes: "TEXT", about: "what the agent is told" }, ...drivingOptions },
  about: "Leaves a question unanswered: the agent is told that nobody will answer, and decides itself how to go on.",
  examples: [['colloquy dismiss 4be1d0 --why "Take whatever is simplest"', ""]],

  run: (call) =>
    withProject(
      call,
      async (project) => {
        const { why } = call.values;
        const id = await findQuestion(project, call.words[0] ?? "");
        return decideQuestion(call, project, id, call.values, () => project.dismiss(id, { ...(why !== undefined && { why }) }), why);
      },
      "touched",
    ),
});
