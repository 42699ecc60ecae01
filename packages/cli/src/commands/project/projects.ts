import { existsSync, realpathSync } from "node:fs";
import { basename, resolve } from "node:path";
import { type Call, defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { notFound, wrongUsage } from "../../line/failure.ts";
import { knownProjects, rememberProjects } from "../../access/known-projects.ts";
import { print } from "../../line/output.ts";
import { homePath } from "../../access/paths.ts";
import { runningServer } from "../../access/running-server.ts";
import { projectDir } from "../../dialogs/session.ts";
import { table } from "../../terminal/table.ts";

export const projects = defineCommand({
  words: ["[ls|add|rm]", "[DIR]"],
  options: {},
  about: {
    en: "Your list of projects. Outside a project, colloquy serve serves all of them at one address.",
    zh: "你的项目列表。在项目之外运行 colloquy serve，会在同一个地址提供列表中的所有项目。",
  },
  examples: [
    ["colloquy projects add ~/shop", ""],
    ["colloquy projects", { en: "and which of them are served", zh: "以及其中哪些正在运行" }],
  ],

  async run(call) {
    const [verb = "ls", typed = "."] = call.words;
    const { env } = call.shell;
    const known = knownProjects(env);
    if (verb === "ls") return list(call, known);
    const dir = resolve(call.dir, typed);
    if (verb === "add") {
      const added = realpathSync(await projectDir({ ...call, dir }));
      rememberProjects(env, [...new Set([...known, added])]);
      print(call, { added }, () => `${homePath(added, env)} is in your list.\n`);
      return ExitCode.done;
    }
    if (verb !== "rm") throw wrongUsage(`projects takes ls, add or rm, not "${verb}".`);
    const removed = known.find((one) => one === dir || (existsSync(dir) && one === realpathSync(dir)) || basename(one) === typed);
    if (removed === undefined) throw notFound(`${homePath(dir, env)} is not in your list. colloquy projects shows it.`);
    rememberProjects(
      env,
      known.filter((one) => one !== removed),
    );
    print(call, { removed }, () => `${homePath(removed, env)} is no longer in your list; nothing in it was changed.\n`);
    return ExitCode.done;
  },
});

async function list(call: Call, known: readonly string[]): Promise<ExitCode> {
  const { out, env } = call.shell;
  const rows = await Promise.all(
    known.map(async (dir) => {
      const isThere = existsSync(dir);
      return { dir, isThere, url: isThere ? (await runningServer(dir, call.shell))?.url : undefined };
    }),
  );
  print(call, { projects: rows }, () =>
    rows.length === 0 && out.isTerminal
      ? "Your list is empty. colloquy projects add DIR puts a project into it.\n"
      : table(
          out,
          [
            { title: "PROJECT", show: (row) => homePath(row.dir, env), plain: (row) => row.dir },
            { title: "SERVED AT", show: (row) => row.url ?? (row.isThere ? "–" : "gone") },
          ],
          rows,
        ),
  );
  return ExitCode.done;
}
