import { type Held, overServer, reportTo } from "../../access/over-server.ts";
import { type Call, defineCommand } from "../../line/command.ts";

export const acp = defineCommand({
  words: [],
  options: {},
  about: {
    en:
      "Makes the team an agent of your editor (Zed, JetBrains, Neovim, …) by the Agent Client Protocol, on standard input and output: " +
      "sessions are dialogs, and you approve and answer in the editor. It talks to the server that works on the project, or becomes that " +
      "server. Ends when the editor closes its input.",
    zh:
      "通过 Agent Client Protocol 在标准输入输出上让团队成为编辑器（Zed、JetBrains、Neovim 等）的代理：会话即对话，批准和回答都在编辑器中进行。" +
      "项目已有服务器时与之通信，否则自己充当服务器。编辑器关闭输入即结束。",
  },
  examples: [["colloquy -C ~/shop acp", { en: "the command for the editor's settings", zh: "写进编辑器设置的命令" }]],

  run: (call) => overServer(call, (held) => serve(held, call)),
});

/** Runs until the editor closes its input or this process is stopped. */
async function serve({ address, dir }: Held, call: Call): Promise<void> {
  const { interrupted } = await import("../../access/serving.ts");
  const { acpOverServer } = await import("../../access/acp-over-server.ts");
  const { serveStandardIo } = await import("@colloquy/acp");
  const { version } = await import("@colloquy/library/version");
  const project = await acpOverServer(address, dir);
  try {
    const { closed } = serveStandardIo(project, { version: version(), report: reportTo(call) });
    await Promise.race([closed, interrupted(call.shell.interrupts.signal)]);
  } finally {
    project.close();
  }
}
