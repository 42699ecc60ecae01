import { defineCommand } from "../../line/command.ts";
import { drivingOptions } from "../../access/driving.ts";
import { findQuestion } from "../../dialogs/ids.ts";
import { decideQuestion } from "../../dialogs/question-decision.ts";
import { withProject } from "../../dialogs/session.ts";

export const dismiss = defineCommand({
  words: ["Q"],
  options: { why: { takes: "TEXT", about: { en: "what the agent is told", zh: "告诉智能体的理由" } }, ...drivingOptions },
  about: {
    en: "Leaves a question unanswered: the agent is told that nobody will answer, and decides itself how to continue.",
    zh: "对提问不作答：智能体会得知不会有人回答，并自行决定如何继续。",
  },
  examples: [['colloquy dismiss 4be1d0 --why "Take whatever is simplest"', ""]],

  run: (call) =>
    withProject(
      call,
      async (project) => {
        const { why } = call.values;
        const id = await findQuestion(project, call.words[0] ?? "");
        return decideQuestion(call, project, id, { act: () => project.dismiss(id, { ...(why !== undefined && { why }) }), draft: why });
      },
      "touched",
    ),
});
