import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeSecret } from "@colloquy/server/server-file";
import { browser } from "../../access/browser.ts";
import { type Call, defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { refused } from "../../line/failure.ts";
import { print } from "../../line/output.ts";
import { runningServer } from "../../access/running-server.ts";
import { projectDir } from "../../dialogs/session.ts";

export const open = defineCommand({
  words: ["[ID]"],
  options: {},
  about: {
    en: "Opens the page of the running server in the browser, at a dialog or question if one is given by its id.",
    zh: "在浏览器中打开正在运行的服务器的页面；给出对话或提问的 id，则直接打开它。",
  },
  examples: [
    ["colloquy open", ""],
    ["colloquy open 7f3a2c", { en: "a dialog, or a question", zh: "一个对话，或一个提问" }],
  ],

  async run(call) {
    const dir = await projectDir(call);
    const server = await runningServer(dir, call.shell);
    if (!server) throw refused("not_running", "No server works on this project. Start one: colloquy serve");
    const [id] = call.words;
    const { Api } = await import("@colloquy/client");
    const api = new Api(server);
    // The server resolves the digits to a dialog or question.
    const page = id === undefined ? "/" : (await api.locate({ id })).page;
    const link = `${server.url}${page}#token=${(await api.newLink()).token}`;
    print(call, { link }, () => `${link}\n`);
    if (call.shell.out.isTerminal) show(call, dir, link);
    return ExitCode.done;
  },
});

/**
 * If the browser can't be started, the link is still on the screen. The browser gets a file that redirects to the link, because every
 * user of the machine sees a process's arguments.
 */
function show({ shell: { env } }: Call, dir: string, link: string): void {
  const file = join(dir, ".dialogs", "open.html");
  writeSecret(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${link}">\n`);
  const { command, env: browserEnv } = browser(env, process.platform, dir);
  spawn(command, [pathToFileURL(file).href], { stdio: "ignore", detached: true, env: browserEnv })
    .on("error", () => undefined)
    .unref();
}
