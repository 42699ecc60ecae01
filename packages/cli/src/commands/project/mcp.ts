import { overServer, reportTo } from "../../access/over-server.ts";
import type { ServerAddress } from "../../access/server-address.ts";
import { demandTrust } from "../../access/trust.ts";
import { library, projectDir } from "../../dialogs/session.ts";
import { type Call, defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { print } from "../../line/output.ts";

export const mcp = defineCommand({
  words: ["[login|logout]", "[NAME]"],
  options: {},
  about: {
    en:
      "Serves the project to MCP clients (Claude, Cursor, VS Code, …) on standard input and output: they ask people, and give work to the team. " +
      "It talks to the server that works on the project, or becomes that server. Ends when the client closes its input. " +
      "login signs you in at an MCP server of colloquy.yaml whose tools your agents use, in your browser; logout forgets that.",
    zh:
      "在标准输入输出上为 MCP 客户端（Claude、Cursor、VS Code 等）提供本项目：它们可以向人提问，也可以给团队派活。" +
      "项目已有服务器时与之通信，否则自己充当服务器。客户端关闭输入即结束。" +
      "login 在浏览器中登录 colloquy.yaml 里智能体所用的 MCP 服务器；logout 则忘掉这次登录。",
  },
  examples: [
    ["claude mcp add colloquy -- npx colloquy -C ~/shop mcp", { en: "in Claude Code", zh: "在 Claude Code 中" }],
    ["colloquy mcp login linear", { en: "before agents use mcp.servers.linear", zh: "智能体使用 mcp.servers.linear 之前" }],
  ],

  run(call) {
    const [verb, name, ...more] = call.words;
    if (verb === undefined) return overServer(call, ({ address }) => serve(address, call));
    if ((verb !== "login" && verb !== "logout") || name === undefined || more.length > 0)
      throw wrongUsage("Use colloquy mcp, colloquy mcp login NAME or colloquy mcp logout NAME.");
    return verb === "login" ? login(call, name) : logout(call, name);
  },
});

/** Prints the page to visit, and waits until the person has signed in there. */
async function login(call: Call, name: string): Promise<ExitCode> {
  const { shell } = call;
  const dir = await projectDir(call);
  await demandTrust(dir, call);
  const { signInToServer } = await library();
  const visit = (page: string): void => {
    shell.err.write(`Sign in at ${page}\n`);
  };
  const url = await signInToServer(dir, name, { env: shell.env, visit, signal: shell.interrupts.signal });
  print(call, { name, url }, () => `You are signed in at ${url}.\n`);
  return ExitCode.done;
}

async function logout(call: Call, name: string): Promise<ExitCode> {
  const { signOutOfServer } = await library();
  const wasSignedIn = await signOutOfServer(await projectDir(call), name, call.shell.env);
  print(call, { name, wasSignedIn }, () => (wasSignedIn ? `You are signed out of ${name}.\n` : `You were not signed in at ${name}.\n`));
  return ExitCode.done;
}

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
