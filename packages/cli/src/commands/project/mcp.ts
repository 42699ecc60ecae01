import { overServer, reportTo } from "../../access/over-server.ts";
import type { ServerAddress } from "../../access/server-address.ts";
import { type Call, defineCommand } from "../../line/command.ts";

export const mcp = defineCommand({
  words: [],
  options: {},
  about: {
    en:
      "Serves the project to MCP clients (Claude, Cursor, VS Code, …) on standard input and output: they ask people, and give work to the team. " +
      "It talks to the server that works on the project, or becomes that server. Ends when the client closes its input.",
    zh:
      "在标准输入输出上为 MCP 客户端（Claude、Cursor、VS Code 等）提供本项目：它们可以向人提问，也可以给团队派活。" +
      "项目已有服务器时与之通信，否则自己充当服务器。客户端关闭输入即结束。",
  },
  examples: [["claude mcp add colloquy -- npx colloquy -C ~/shop mcp", { en: "in Claude Code", zh: "在 Claude Code 中" }]],

  run: (call) => overServer(call, ({ address }) => serve(address, call)),
});

/** Runs until the client closes its input or this process is stopped. */
async function serve(address: ServerAddress, call: Call): Promise<void> {
  const { interrupted } = await import("../../access/serving.ts");
  const { mcpOverServer } = await import("../../access/mcp-over-server.ts");
  const { serveStandardIo } = await import("@colloquy/mcp-server");
  const { version } = await import("@colloquy/library/version");
  const project = await mcpOverServer(address);
  try {
    const { closed } = serveStandardIo(project, { version: version(), report: reportTo(call) });
    await Promise.race([closed, interrupted(call.shell.interrupts.signal)]);
  } finally {
    project.close();
  }
}
