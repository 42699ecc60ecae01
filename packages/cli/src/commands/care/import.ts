import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { shortId } from "../../dialogs/ids.ts";
import { rememberDialog } from "../../dialogs/last-dialog.ts";
import { withProject } from "../../dialogs/session.ts";
import { defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { notFound } from "../../line/failure.ts";
import { print } from "../../line/output.ts";

export const importDialogs = defineCommand({
  words: ["FILE"],
  options: {},
  about: {
    en:
      "Makes the dialogs of a file that colloquy export wrote: all of them, or none if anything in the file is wrong. They keep their ids " +
      "where these are free. Dialogs with something to do are stopped: colloquy resume starts them. Open questions are open.",
    zh: "读入 colloquy export 写出的文件中的对话：要么全部读入，要么文件有任何问题时一个也不读入。编号空闲时保持不变。还有事可做的对话处于停止状态，用 colloquy resume 启动。未答的提问仍等待回答。",
  },
  examples: [["colloquy import door.colloquy", ""]],

  run: (call) =>
    withProject(call, async (project) => {
      const [name = ""] = call.words;
      const path = resolve(call.dir, name);
      const found = await stat(path).catch(() => undefined); // whatever the reason, there is nothing to read
      if (!found?.isFile()) throw notFound(`There is no file ${name}.`);
      const dialogs = await project.import(path);
      const [first] = dialogs;
      if (first) await rememberDialog(project.dir, first.rootId);
      const row = ({ from, rootId }: (typeof dialogs)[number]) => `${shortId(rootId)}${from === rootId ? "" : `\twas ${shortId(from)}`}\n`;
      print(call, { dialogs }, () => dialogs.map(row).join(""));
      return ExitCode.done;
    }),
});
