import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { defineCommand } from "../../line/command.ts";
import { wrongUsage } from "../../line/failure.ts";
import { knownProjects } from "../../access/known-projects.ts";
import { library, projectDir } from "../../dialogs/session.ts";
import { logFormatOf, portOf, serveUntilInterrupted } from "../../access/serving.ts";
import type { Shell } from "../../line/shell.ts";

export const serve = defineCommand({
  words: ["[DIR…]"],
  options: {
    port: {
      takes: "N",
      about: { en: "the port (default: server.port in colloquy.yaml, 5740)", zh: "端口（默认：colloquy.yaml 中的 server.port，5740）" },
    },
    log: {
      takes: "FORMAT",
      about: {
        en: "text (default): only problems; json: what happens, one object a line on standard error, with trace ids",
        zh: "text（默认）：只报问题；json：发生的事逐行写到标准错误，每行一个对象，带跟踪编号",
      },
    },
    host: { takes: "HOST", about: { en: "the address to listen on (default: this machine only)", zh: "监听的地址（默认：仅限本机）" } },
  },
  about: {
    en:
      "Serves this project, the given folders, or outside a project those of your list (colloquy projects): the API and the web app. It prints a link that opens the page with your rights; " +
      "keep it to yourself. It drives every dialog until you stop it with Ctrl-C.",
    zh: "提供本项目、给出的文件夹，或（在项目之外）列表中的项目（colloquy projects）：API 和网页。会打印一个以你的权限打开页面的链接，请勿外传。它推动所有对话，直到你按 Ctrl-C 停止。",
  },
  examples: [
    ["colloquy serve", ""],
    ["colloquy serve ~/shop ~/blog --port 8080", { en: "two projects at once", zh: "同时提供两个项目" }],
    [
      "colloquy serve --store postgres://anna@db/work?project=shop",
      { en: "the log is in PostgreSQL; the password is in PGPASSWORD", zh: "日志在 PostgreSQL 中；密码在 PGPASSWORD 中" },
    ],
  ],

  async run(call) {
    const { values, words, shell } = call;
    const dirs = await dirsOf(call.dir, words, shell);
    if (dirs.length > 1 && shell.env.COLLOQUY_STORE) throw wrongUsage("A store holds one project: serve one folder with --store.");
    const place = { dirs, port: portOf(values.port), host: values.host, logFormat: logFormatOf(values.log) };
    return serveUntilInterrupted(call, place, ({ url, link }) => `Serving at ${url}\nOpen ${link}\n`);
  },
});

/** The given folders, else the project here, else the person's list. */
async function dirsOf(here: string, words: readonly string[], shell: Shell): Promise<readonly string[]> {
  if (words.length > 0) return Promise.all(words.map((word) => projectDir({ dir: resolve(here, word), shell, server: undefined })));
  const { findProject } = await library();
  const found = findProject(here);
  const known = knownProjects(shell.env).filter((dir) => existsSync(dir));
  if (found === undefined && known.length > 0) return known;
  return [await projectDir({ dir: here, shell, server: undefined })];
}
