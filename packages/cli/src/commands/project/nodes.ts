import { defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { print } from "../../line/output.ts";
import { withProject } from "../../dialogs/session.ts";
import { table } from "../../terminal/table.ts";
import { ago } from "../../terminal/time.ts";

export const nodes = defineCommand({
  words: [],
  options: {},
  about: {
    en: "The servers that share a project in a database: where each answers, how many dialogs it drives, and whether it is alive.",
    zh: "共用数据库中同一项目的服务器：各自的地址、正在推进的对话数，以及是否在线。",
  },
  examples: [["colloquy nodes", ""]],

  run: (call) =>
    withProject(call, async (project) => {
      const rows = await project.nodes();
      const { out, now } = call.shell;
      print(call, { nodes: rows }, () =>
        rows.length === 0 && out.isTerminal
          ? "This project is in its folder, where one server works at a time. Several need a database: colloquy move --help\n"
          : table(
              out,
              [
                { title: "NODE", show: ({ id }) => id },
                { title: "STATE", show: ({ alive }) => (alive ? "alive" : "gone") },
                { title: "DIALOGS", show: ({ trees }) => String(trees) },
                { title: "ADDRESS", show: ({ url }) => url ?? "–" },
                { title: "PLACE", show: ({ place }) => place, shrinks: true },
                { title: "VERSION", show: ({ version }) => version ?? "–" },
                { title: "SINCE", show: ({ since }) => ago(since, now()) },
              ],
              rows,
            ),
      );
      return ExitCode.done;
    }),
});
