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
    list: { about: "the folders that you trust" },
    revoke: { about: "trust it no longer; nothing in it is changed" },
    yes: { short: "y", about: "ask nothing" },
  },
  about:
    "Shows what a folder's files would run on this machine and send to others, and trusts it: MCP servers, models that are not on this " +
    "machine, and the tokens and dialogs that came with it. Programs of MCP servers that have changed may run again. Folders that " +
    "init and demo make are trusted. In a pipe it asks nothing.",
  examples: [
    ["colloquy trust ~/downloads/shop", "look, then say yes"],
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
  if (!revokeFolder(dir, env))
    throw notFound(`You do not trust ${homePath(dir, env)}. colloquy trust --list shows the folders that you trust.`);
  print(call, { revoked: dir }, () => `${homePath(dir, env)} is no longer trusted. A running server keeps running until it is stopped.\n`);
  return ExitCode.done;
}
