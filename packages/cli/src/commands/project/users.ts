import type { Role } from "@colloquy/schema";
import { type Call, defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { refused, wrongUsage } from "../../line/failure.ts";
import type { Said } from "../../line/language.ts";
import { print } from "../../line/output.ts";
import { livingServer, serverLink } from "../../access/running-server.ts";
import { changeTrusted, noteToken } from "../../access/trust.ts";
import { library, projectDir } from "../../dialogs/session.ts";
import { table } from "../../terminal/table.ts";

const ROLES: readonly Role[] = ["viewer", "member", "owner"];

export const users = defineCommand({
  words: ["[ls|add|rm|token]", "[NAME|rotate|revoke]", "[NAME]"],
  options: {
    role: {
      takes: "ROLE",
      about: {
        en: "viewer reads; member also sends, answers, approves once (default); owner may do everything",
        zh: "viewer 只能阅读；member 还能发消息、回答、批准一次（默认）；owner 可以做一切",
      },
    },
  },
  about: {
    en:
      "People with their own link to the server, so that answers carry their names. The link is shown once and not stored; " +
      "colloquy.yaml has only a hash of its token.",
    zh: "各有自己的服务器链接的人，使回答带有他们的名字。链接只显示一次，不作保存；colloquy.yaml 中只有其令牌的散列值。",
  },
  examples: [
    ["colloquy users add anna", { en: "prints her link", zh: "打印她的链接" }],
    ["colloquy users add bob --role viewer", ""],
    ["colloquy users rm anna", { en: "she is signed out at once", zh: "她立即被登出" }],
    ["colloquy users token", { en: "who is signed in, with how many browsers", zh: "谁已登录，用了几个浏览器" }],
    [
      "colloquy users token rotate anna",
      { en: "a new link; the old one and her browsers are signed out", zh: "新链接；旧链接和她的浏览器都被登出" },
    ],
    ["colloquy users token revoke anna", { en: "no link until the next rotate", zh: "下次 rotate 之前没有链接" }],
    ["colloquy users token rotate", { en: "the server's own token", zh: "服务器自己的令牌" }],
  ],

  async run(call) {
    const [verb = "ls", name, ...rest] = call.words;
    const dir = await projectDir(call);
    if (verb === "ls" && name === undefined) return list(call, dir);
    if (verb === "token") return token(call, dir, call.words.slice(1));
    if (name === undefined || rest.length > 0)
      throw wrongUsage("Usage: colloquy users, users add NAME, users rm NAME, users token [rotate [NAME] | revoke NAME]");
    if (verb === "add") return add(call, dir, name);
    if (verb !== "rm") throw wrongUsage(`users takes ls, add, rm or token, not "${verb}".`);
    const { removeUser } = await library();
    await changeTrusted(dir, call.shell, () => removeUser(dir, name));
    print(call, { removed: name }, () => `${name} no longer has access.\n`);
    return ExitCode.done;
  },
});

async function add(call: Call<{ role: { takes: string; about: Said } }>, dir: string, name: string): Promise<ExitCode> {
  const role = ROLES.find((one) => one === (call.values.role ?? "member"));
  if (role === undefined) throw wrongUsage(`--role takes ${ROLES.join(", ")}, not "${call.values.role}".`);
  const { newToken, tokenHash } = await import("@colloquy/server");
  const token = newToken();
  const { addUser } = await library();
  await changeTrusted(dir, call.shell, () => addUser(dir, name, { role, tokenHash: tokenHash(token) }));
  const link = await serverLink(dir, token, call.shell);
  print(call, { name, role, link }, () => `${link}\n`);
  if (!call.json) call.shell.err.write(`Give this link to ${name} (${role}). It is not shown again.\n`);
  return ExitCode.done;
}

async function list(call: Call, dir: string): Promise<ExitCode> {
  const all = Object.entries(await (await library()).readUsers(dir)).map(([name, { role }]) => ({ name, role }));
  const { out } = call.shell;
  print(call, { users: all }, () =>
    all.length === 0 && out.isTerminal
      ? "Nobody but you. colloquy users add NAME prints a link for somebody.\n"
      : table(
          out,
          [
            { title: "NAME", show: (user) => user.name },
            { title: "ROLE", show: (user) => user.role },
          ],
          all,
        ),
  );
  return ExitCode.done;
}

/** Lists who is signed in, or replaces a token, which signs out everything that used the old one. */
async function token(call: Call, dir: string, [verb, name, ...rest]: readonly string[]): Promise<ExitCode> {
  if (verb === undefined) return listSessions(call, dir);
  if ((verb !== "rotate" && verb !== "revoke") || rest.length > 0 || (verb === "revoke" && name === undefined))
    throw wrongUsage("Usage: colloquy users token, users token rotate [NAME], users token revoke NAME");
  if (name === undefined) return rotateOwn(call, dir);
  const { newToken, tokenHash } = await import("@colloquy/server");
  const made = newToken();
  const { changeToken } = await library();
  await changeTrusted(dir, call.shell, () => changeToken(dir, name, tokenHash(made)));
  if (verb === "revoke") {
    print(call, { revoked: name }, () => `${name} is signed out. For a new link: colloquy users token rotate ${name}\n`);
    return ExitCode.done;
  }
  const link = await serverLink(dir, made, call.shell);
  print(call, { name, link }, () => `${link}\n`);
  if (!call.json) call.shell.err.write(`Give this link to ${name}. It is not shown again; the one before it opens nothing.\n`);
  return ExitCode.done;
}

async function rotateOwn(call: Call, dir: string): Promise<ExitCode> {
  const server = await livingServer(dir, call.shell);
  if (server) {
    const { Api } = await import("@colloquy/client");
    await new Api(server).rotateToken();
  } else {
    const { rotateServerToken, tokenDigest } = await import("@colloquy/server/server-file");
    rotateServerToken(dir);
    noteToken(dir, call.shell, tokenDigest(dir));
  }
  print(
    call,
    { rotated: "owner" },
    () => "The server's token is replaced. Your browsers are signed out: colloquy open gives a new link.\n",
  );
  return ExitCode.done;
}

async function listSessions(call: Call, dir: string): Promise<ExitCode> {
  const server = await livingServer(dir, call.shell);
  if (!server) throw refused("not_running", "No server runs on this project, so nobody is signed in. Start one: colloquy serve");
  const { Api } = await import("@colloquy/client");
  const { sessions } = await new Api(server).sessions();
  const names = ["owner", ...Object.keys(await (await library()).readUsers(dir))];
  const rows = names.map((name) => {
    const own = sessions.filter(({ user }) => user === name);
    const lastUsed = own
      .map((session) => session.lastUsed)
      .toSorted()
      .at(-1);
    return { name, browsers: own.length, ...(lastUsed !== undefined && { lastUsed }) };
  });
  print(call, { tokens: rows }, () =>
    table(
      call.shell.out,
      [
        { title: "NAME", show: (row) => row.name },
        { title: "BROWSERS", show: (row) => String(row.browsers) },
        { title: "LAST USED", show: (row) => row.lastUsed ?? "–" },
      ],
      rows,
    ),
  );
  return ExitCode.done;
}
