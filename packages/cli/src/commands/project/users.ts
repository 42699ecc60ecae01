import type { Role } from "@colloquy/schema";
import { type Call, defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { refused, wrongUsage } from "../../line/failure.ts";
import { print } from "../../line/output.ts";
import { livingServer, serverLink } from "../../access/running-server.ts";
import { library, projectDir } from "../../dialogs/session.ts";
import { table } from "../../terminal/table.ts";

const ROLES: readonly Role[] = ["viewer", "member", "owner"];

export const users = defineCommand({
  words: ["[ls|add|rm|token]", "[NAME|rotate|revoke]", "[NAME]"],
  options: { role: { takes: "ROLE", about: "viewer reads; member also sends, answers, approves once (default); owner may do everything" } },
  about:
    "People who come to the server with a link of their own, so that answers carry who gave them. The link is shown once and not kept; " +
    "colloquy.yaml has only a hash of its token.",
  examples: [
    ["colloquy users add anna", "prints her link"],
    ["colloquy users add bob --role viewer", ""],
    ["colloquy users rm anna", "she is signed out at once"],
    ["colloquy users token", "who is signed in, with how many browsers"],
    ["colloquy users token rotate anna", "a new link; the old one and her browsers are signed out"],
    ["colloquy users token revoke anna", "no link until the next rotate"],
    ["colloquy users token rotate", "the server's own token"],
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
    await (await library()).removeUser(dir, name);
    print(call, { removed: name }, () => `${name} may not come in any more.\n`);
    return ExitCode.done;
  },
});

async function add(call: Call<{ role: { takes: string; about: string } }>, dir: string, name: string): Promise<ExitCode> {
  const role = ROLES.find((one) => one === (call.values.role ?? "member"));
  if (role === undefined) throw wrongUsage(`--role takes ${ROLES.join(", ")}, not "${call.values.role}".`);
  const { newToken, tokenHash } = await import("@colloquy/server");
  const token = newToken();
  await (await library()).addUser(dir, name, { role, tokenHash: tokenHash(token) });
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

/** Lists who is signed in, or replaces a token; whatever was signed in with the old one is out at once. */
async function token(call: Call, dir: string, [verb, name, ...rest]: readonly string[]): Promise<ExitCode> {
  if (verb === undefined) return listSessions(call, dir);
  if ((verb !== "rotate" && verb !== "revoke") || rest.length > 0 || (verb === "revoke" && name === undefined))
    throw wrongUsage("Usage: colloquy users token, users token rotate [NAME], users token revoke NAME");
  if (name === undefined) return rotateOwn(call, dir);
  const { newToken, tokenHash } = await import("@colloquy/server");
  const made = newToken();
  await (await library()).changeToken(dir, name, tokenHash(made));
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
    const { rotateServerToken } = await import("@colloquy/server/server-file");
    rotateServerToken(dir);
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
