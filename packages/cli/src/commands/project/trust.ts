import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { type Call, defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { notFound, refused, wrongUsage } from "../../line/failure.ts";
import { print } from "../../line/output.ts";
import { homePath } from "../../access/paths.ts";
import { projectDir } from "../../dialogs/session.ts";
import { table } from "../../terminal/table.ts";
import { judgeFolder, reachText, trust as trustIt } from "../../access/trust.ts";
import { revokeFolder, trustedFolders } from "../../access/trusted-folders.ts";

export const trust = defineCommand({
  words: ["[DIR]"],
  options: {
    list: { about: { en: "the folders that you trust", zh: "你信任的文件夹" } },
    revoke: { about: { en: "trust it no longer; nothing in it is changed", zh: "不再信任；不改动其中任何内容" } },
    yes: { short: "y", about: { en: "ask nothing", zh: "什么都不问" } },
  },
  about: {
    en:
      "Shows what a folder's files would run on this machine and send to others, and trusts it: MCP servers, models that are not on this " +
      "machine, and the tokens and dialogs that came with it. Programs of MCP servers that have changed may run again. Folders that " +
      "init and demo create are trusted. In a pipe it asks nothing.",
    zh: "显示一个文件夹的文件会在本机运行什么、向外发送什么，并信任它：MCP 服务器、不在本机的模型，以及随它而来的令牌和对话。已改动的 MCP 服务器程序可以再次运行。init 和 demo 创建的文件夹已受信任。在管道中不作询问。",
  },
  examples: [
    ["colloquy trust ~/downloads/shop", { en: "look, then say yes", zh: "先看，再同意" }],
    ["colloquy trust --list", ""],
    ["colloquy trust --revoke ~/downloads/shop", ""],
  ],

  async run(call) {
    const { values, words, shell } = call;
    if (values.list && (values.revoke || words.length > 0)) throw wrongUsage("colloquy trust --list takes nothing else.");
    if (values.list) return list(call);
    if (values.revoke) return revoke(call, words[0]);
    const dir = realpathSync(await projectDir({ ...call, dir: resolve(call.dir, words[0] ?? ".") }));
    const judged = await judgeFolder(dir, shell);
    const { reach, since } = judged;
    const shown = homePath(dir, shell.env);
    const nothing = `${shown} runs nothing and sends nothing: there is nothing to trust.`;
    if (shell.canAsk && !values.yes && !call.json && reach.length > 0 && since === undefined) {
      shell.err.write(`${shown}:\n${reachText(reach)}\n`);
      const prompts = await import("@clack/prompts");
      const answer = await prompts.confirm({ message: "Do you trust this folder?", initialValue: false });
      if (answer !== true) throw refused("not_trusted", "It is not trusted. Nothing was run.");
    }
    await trustIt(dir, shell, judged);
    print(call, { dir, reach: reach.map(({ what, where }) => ({ what, where })) }, () =>
      reach.length === 0 ? `${nothing}\n` : `You trust ${shown}. It:\n${reachText(reach)}\n`,
    );
    return ExitCode.done;
  },
});

function list(call: Call): ExitCode {
  const { out, env } = call.shell;
  const folders = trustedFolders(env).filter(({ folder }) => existsSync(folder));
  print(call, { folders }, () =>
    folders.length === 0 && out.isTerminal
      ? "You trust no folder yet.\n"
      : table(
          out,
          [
            { title: "FOLDER", show: (row) => homePath(row.folder, env), plain: (row) => row.folder },
            { title: "SINCE", show: (row) => row.at },
          ],
          folders,
        ),
  );
  return ExitCode.done;
}

function revoke(call: Call, typed = "."): ExitCode {
  const { env } = call.shell;
  const path = resolve(call.dir, typed);
  const dir = existsSync(path) ? realpathSync(path) : path;
  if (!revokeFolder(dir, env)) throw notFound(`${homePath(dir, env)} is not trusted. colloquy trust --list shows the trusted folders.`);
  print(call, { revoked: dir }, () => `${homePath(dir, env)} is no longer trusted. A running server keeps running until it is stopped.\n`);
  return ExitCode.done;
}
