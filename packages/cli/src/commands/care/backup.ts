import { resolve } from "node:path";
import { library, withProject } from "../../dialogs/session.ts";
import { defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { print } from "../../line/output.ts";

export const backup = defineCommand({
  words: ["DIR"],
  options: {},
  about: {
    en:
      "Adds what is new in the project to a backup: every commit since the last time, images and long outputs, Taskdocs, with checksums. The " +
      "first time that is everything. A server may go on working meanwhile. colloquy restore makes the project again.",
    zh: "把项目中新增的内容加入备份：自上次以来的每次提交、图片和长输出、任务文档，以及校验值。第一次则是全部。服务器可以同时继续工作。用 colloquy restore 恢复项目。",
  },
  examples: [["colloquy backup /backups/shop", { en: "each time the same folder", zh: "每次都用同一个文件夹" }]],

  run: (call) =>
    withProject(call, async (project) => {
      const [name = ""] = call.words;
      const { addToBackup } = await library();
      const { file, bytes, commits, pos } = await addToBackup(resolve(call.dir, name), (query) => project.backup(query));
      print(call, { file, bytes, commits, pos }, () =>
        file === undefined ? `Nothing is new since commit ${pos}.\n` : `${commits} commits, up to ${pos}: ${bytes} bytes in ${file}\n`,
      );
      return ExitCode.done;
    }),
});
