import type { Role } from "@colloquy/schema";
import { type Call, defineCommand } from "../command.ts";
import { ExitCode } from "../exit-code.ts";
import { wrongUsage } from "../failure.ts";
import { print } from "../output.ts";
import { serverLink } from "../running-server.ts";
import { library, projectDir } from "../session.ts";
import { table } from "../terminal/table.ts";

const ROLES: readonly Role[] = ["viewer", "member", "owner"];

export const users = defineCommand({
  words: ["[ls|add|rm]", "[NAME]"],
  options: { role: { takes: "ROLE", about: "viewer reads; member also sends, answers, approves once (default); owner may do everything" } },
  about:
    "People who come to the server with a link of their own, so that answers carry who gave them. The link is shown once and not kept; " +
    "colloquy.yaml has only a hash of its token.",
  examples: [
    ["colloquy users add anna", "prints her link"],
    ["colloquy users add bob --role viewer", ""],
    ["colloquy users rm anna", "her link is dead at once"],
  ],

  async run(call) {
    const [verb = "ls", name, ...rest] = call.words;
    const dir = await projectDir(call);
    if (verb === "ls" && name === undefined) return list(call, dir);
    if (name === undefined || rest.length > 0) throw wrongUsage("Usage: colloquy users, colloquy users add NAME, colloquy users rm NAME");
    if (verb === "add") return add(call, dir, name);
    if (verb !== "rm") throw wrongUsage(`users takes ls, add or rm, not "${verb}".`);
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
  const link = await serverLink(dir, token);
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
