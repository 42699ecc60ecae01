import { defineCommand } from "../../line/command.ts";
import { drivingOptions } from "../../access/driving.ts";
import { findQuestion } from "../../dialogs/ids.ts";
import { decideQuestion } from "../../dialogs/question-decision.ts";
import { withProject } from "../../dialogs/session.ts";
import { lastShown } from "../../dialogs/shown-questions.ts";

export const deny = defineCommand({
  words: ["Q"],
  options: { why: { takes: "TEXT", about: { en: "what the agent is told", zh: "告诉智能体的理由" } }, ...drivingOptions },
  about: {
    en: "Denies an approval: neither the call nor those after it in the same step run; the agent is told why and continues.",
    zh: "拒绝审批：该调用以及同一步中在它之后的调用都不执行；智能体会得知理由并继续。",
  },
  examples: [['colloquy deny 90aa17 --why "We have that already"', ""]],

  run: (call) =>
    withProject(
      call,
      async (project) => {
        const { why } = call.values;
        const id = await findQuestion(project, call.words[0] ?? "");
        const shown = await lastShown(project, id);
        const how = { ...(why !== undefined && { why }), ...(shown !== undefined && { shown }) };
        return decideQuestion(call, project, id, { act: () => project.deny(id, how), draft: why });
      },
      "touched",
    ),
});
