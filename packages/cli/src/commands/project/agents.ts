import { defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { print } from "../../line/output.ts";
import { library, projectDir } from "../../dialogs/session.ts";
import { table } from "../../terminal/table.ts";

export const agents = defineCommand({
  words: [],
  options: {},
  about: {
    en: "The team: colloquy.yaml and agents/*.md together. * marks the agent that new dialogs go to.",
    zh: "团队：colloquy.yaml 与 agents/*.md 合在一起。* 标出接手新对话的智能体。",
  },
  examples: [["colloquy agents", ""]],

  async run(call) {
    const { describeTeam } = await library();
    const team = await describeTeam(await projectDir(call));
    const { out } = call.shell;
    print(call, { agents: team }, () =>
      team.length === 0 && out.isTerminal
        ? "Nobody is in the team yet. Add an agent to colloquy.yaml, or a file agents/<id>.md.\n"
        : table(
            out,
            [
              { title: "", show: (agent) => (agent.isDefault ? "*" : ""), plain: null },
              { title: "ID", show: (agent) => agent.id },
              { title: "NAME", show: (agent) => agent.name },
              { title: "MODEL", show: (agent) => agent.model ?? "none", shrinks: true },
              { title: "TOOLS", show: (agent) => agent.tools.join(", ") || "–" },
              { title: "FILE", show: (agent) => agent.file },
              { title: "ROLE", show: (agent) => agent.role, plain: null, shrinks: true },
            ],
            team,
          ),
    );
    return ExitCode.done;
  },
});
