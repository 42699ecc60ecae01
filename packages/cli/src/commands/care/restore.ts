import { library, projectDir } from "../../dialogs/session.ts";
import { defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { print } from "../../line/output.ts";

export const restore = defineCommand({
  words: ["DIR"],
  options: {},
  about: {
    en:
      "Makes the project of a backup in this folder, which has no dialogs, or in a new project of a database. What was running counts as " +
      "interrupted by a crash, and continues when the project is served: stop the original first.",
    zh: "用备份在此文件夹（其中没有对话）或数据库的新项目中重建项目。备份时正在进行的工作按崩溃中断处理，启动服务后继续：请先停掉原来的项目。",
  },
  examples: [
    ["colloquy restore /backups/shop", { en: "in this folder", zh: "恢复到此文件夹" }],
    ["colloquy --store postgres://anna@db/work?project=again restore /backups/shop", { en: "in a database", zh: "恢复到数据库" }],
  ],

  async run(call) {
    const [from = ""] = call.words;
    const { restoreProject } = await library();
    const restored = await restoreProject(await projectDir(call), call.shell.env, from);
    print(call, restored, () => `${restored.trees} dialogs in ${restored.commits} commits, as of ${restored.made}.\n`);
    return ExitCode.done;
  },
});
