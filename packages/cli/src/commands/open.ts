import { spawn } from "node:child_process";
import { type Call, defineCommand } from "../command.ts";
import { ExitCode } from "../exit-code.ts";
import { refused } from "../failure.ts";
import { print } from "../output.ts";
import { runningServer } from "../running-server.ts";
import { projectDir } from "../session.ts";

export const open = defineCommand({
  words: ["[ID]"],
  options: {},
  about: "Opens the page of the running server in the browser, at a dialog or question if one is given by its id.",
  examples: [
    ["colloquy open", ""],
    ["colloquy open 7f3a2c", "a dialog, or a question"],
  ],

  async run(call) {
    const dir = await projectDir(call);
    const server = await runningServer(dir);
    if (!server) throw refused("not_running", "No server works on this project. Start one: colloquy serve");
    const [id] = call.words;
    const page = id === undefined ? "/" : await pageOf(server.url, server.token, id);
    const link = `${server.url}${page}?token=${server.token}`;
    print(call, { link }, () => `${link}\n`);
    if (call.shell.out.isTerminal) show(call, link);
    return ExitCode.done;
  },
});

/** The server knows which of its dialogs and questions the digits name. */
async function pageOf(url: string, token: string, typed: string): Promise<string> {
  const { Api } = await import("@colloquy/client");
  return (await new Api({ url, token }).locate({ id: typed })).page;
}

/** A browser that cannot be started is no misfortune: the link is on the screen. */
function show({ shell: { env } }: Call, link: string): void {
  const [command, ...args] =
    env.BROWSER !== undefined
      ? [env.BROWSER]
      : process.platform === "darwin"
        ? ["open"]
        : process.platform === "win32"
          ? ["explorer"]
          : ["xdg-open"];
  spawn(command ?? "xdg-open", [...args, link], { stdio: "ignore", detached: true })
    .on("error", () => undefined)
    .unref();
}
