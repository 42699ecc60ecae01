import { open, rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { findDialog, shortId } from "../../dialogs/ids.ts";
import { withProject } from "../../dialogs/session.ts";
import { defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { Failure, wrongUsage } from "../../line/failure.ts";
import { print } from "../../line/output.ts";

const USAGE = "Usage: colloquy export DIALOG FILE, or colloquy export --all FILE";

export const exportDialogs = defineCommand({
  words: ["[DIALOG]", "[FILE]"],
  options: { all: { about: { en: "every dialog of the project, as of one moment", zh: "项目的所有对话，以同一时刻为准" } } },
  about: {
    en:
      "Writes a dialog with all its side dialogs into one file: the log byte for byte, images and long outputs, the Taskdoc, and checksums. " +
      "A server may go on working meanwhile. colloquy import reads the file, here or in another project.",
    zh: "把对话连同其全部子对话写入一个文件：逐字节的日志、图片和过长的输出、任务文档，以及校验值。服务器可以同时继续工作。在此项目或别的项目中用 colloquy import 读入。",
  },
  examples: [
    ["colloquy export 7f3a2c door.colloquy", ""],
    ["colloquy export --all everything.colloquy", { en: "all dialogs, at one moment", zh: "同一时刻的所有对话" }],
  ],

  run: (call) =>
    withProject(call, async (project) => {
      const [typed = "", second] = call.words;
      const name = call.values.all ? typed : second;
      if (name === undefined || name === "" || (call.values.all && second !== undefined)) throw wrongUsage(USAGE);
      const place = call.values.all ? undefined : await findDialog(project, typed);
      const path = resolve(call.dir, name);
      const bytes = await writeWhole(path, await project.export(place));
      print(call, { file: path, bytes }, () => `${place ? shortId(place.rootId) : "all"}  ${bytes} bytes in ${name}\n`);
      return ExitCode.done;
    }),
});

/** The file is there whole, or as it was before. */
async function writeWhole(path: string, parts: AsyncIterable<Uint8Array>): Promise<number> {
  const draft = `${path}.${process.pid}.part`;
  let bytes = 0;
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      for await (const part of parts) bytes += (await file.write(part)).bytesWritten;
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    return bytes;
  } catch (error) {
    await rm(draft, { force: true });
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "EACCES" || code === "EISDIR" || code === "ENOTDIR" || code === "ENOSPC" || code === "EROFS")
      throw new Failure(ExitCode.refused, "cannot_write", `The file cannot be written: ${message}`);
    throw error;
  }
}
