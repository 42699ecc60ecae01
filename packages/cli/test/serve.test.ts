import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { colloquy, folder, inTerminal, project, type Running, start } from "./support.ts";

const home = () => ({ HOME: folder() });

async function serving(dir: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const running = start(dir, ["--json", "serve", "--port", "0", ...args], { env });
  onTestFinished(async () => {
    running.kill("SIGTERM");
    await running.ended;
  });
  await running.says('"link":');
  return running;
}
const ended = async (running: Running) => {
  running.kill("SIGTERM");
  return running.ended;
};
const serverJson = (dir: string) =>
  JSON.parse(readFileSync(join(dir, ".dialogs/server.json"), "utf8")) as { url: string; token: string; pid: number };

test("[K120] serve prints a link that opens the page, and stops cleanly", async () => {
  const dir = project();
  const running = await serving(dir);
  const { url, token, pid } = serverJson(dir);
  expect(pid).toBe(running.pid);
  const { code, stdout, stderr } = await ended(running);
  expect(code).toBe(0);
  const { link } = JSON.parse(stdout) as { link: string };
  expect(link).toMatch(new RegExp(`^${url}/#token=[\\w-]{43}$`));
  expect(link).not.toContain(token);
  expect(stderr).toBe("Stopping: what runs gets a moment to end.\n");
});

test("[OT22] serve --log json writes one JSON object per line to standard error, with trace ids", async () => {
  const dir = project();
  const running = await serving(dir, ["--log", "json"]);
  const { stdout } = await colloquy(dir, "new", "--wait", "--json", "a secret");
  const { rootId: id } = JSON.parse(stdout) as { rootId: string };
  const { stderr } = await ended(running);
  expect(stderr).not.toContain("secret");
  const entries = stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entries).toEqual([
    expect.objectContaining({ level: "info", message: "dialog created", trace_id: id, project: basename(dir), agent: "lead" }),
    expect.objectContaining({
      level: "info",
      message: "step ended",
      trace_id: id,
      span_id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
    }),
    expect.objectContaining({ level: "info", message: "Stopping: what runs gets a moment to end." }),
  ]);
  expect(await colloquy(dir, "serve", "--log", "loud")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("text or json") as string,
  });
});

test("[K121] users add prints a personal link, the settings keep their comments, and rm ends it at once", async () => {
  const dir = project(undefined, { "colloquy.yaml": "# ours\nagents:\n  lead: { role: You lead. } # the one\n" });
  const running = await serving(dir);
  const { url } = serverJson(dir);
  const added = await colloquy(dir, "users", "add", "anna", "--role", "viewer");
  expect(added.stdout).toMatch(new RegExp(`^${url}/#token=\\S+\n$`));
  const text = readFileSync(join(dir, "colloquy.yaml"), "utf8");
  expect(text).toContain("# ours");
  expect(text).toContain("# the one");
  expect(text).not.toContain(added.stdout.split("token=")[1]?.trim());
  const headers = { authorization: `Bearer ${added.stdout.split("token=")[1]?.trim()}` };
  const me = () => fetch(`${url}/api/me`, { headers });
  expect(await (await me()).json()).toEqual({ user: "anna", role: "viewer" });
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, { headers } as never);
  const left = new Promise((resolve) => socket.addEventListener("close", ({ code }) => resolve(code)));
  await new Promise((resolve) => socket.addEventListener("message", resolve, { once: true }));
  expect((await colloquy(dir, "users", "add", "anna")).stderr).toContain('There is a user "anna" already');
  expect((await colloquy(dir, "users")).stdout).toBe("anna\tviewer\n");
  expect((await colloquy(dir, "users", "token")).stdout).toBe("owner\t0\t–\nanna\t0\t–\n");
  expect(await colloquy(dir, "users", "rm", "anna")).toMatchObject({ code: 0 });
  expect((await me()).status).toBe(401);
  expect(await left).toBe(4001);
  expect((await colloquy(dir, "users", "rm", "anna")).code).toBe(3);
  expect((await colloquy(dir, "users", "add", "a b")).code).toBe(1);
  expect((await colloquy(dir, "users", "add", "bob", "--role", "king")).code).toBe(2);
  await ended(running);
});

test("[K127] users token rotates and revokes, and the old token opens nothing", async () => {
  const dir = project(undefined, { "colloquy.yaml": "agents:\n  lead: { role: You lead. }\n" });
  const running = await serving(dir);
  const { url, token } = serverJson(dir);
  const tokenIn = (link: string) => link.split("#token=")[1]?.trim() ?? "";
  const statusOf = async (secret: string) => (await fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${secret}` } })).status;
  const first = tokenIn((await colloquy(dir, "users", "add", "anna")).stdout);
  const second = tokenIn((await colloquy(dir, "users", "token", "rotate", "anna")).stdout);
  expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
  expect(await colloquy(dir, "users", "token", "revoke", "anna")).toMatchObject({ code: 0 });
  expect(await statusOf(second)).toBe(401);
  expect((await colloquy(dir, "users")).stdout).toBe("anna\tmember\n");
  expect((await colloquy(dir, "users", "token", "rotate", "bob")).code).toBe(3);
  expect((await colloquy(dir, "users", "token", "burn")).code).toBe(2);

  expect(await colloquy(dir, "users", "token", "rotate")).toMatchObject({ code: 0 });
  expect(serverJson(dir).token).not.toBe(token);
  expect([await statusOf(token), await statusOf(serverJson(dir).token)]).toEqual([401, 200]);
  expect((await colloquy(dir, "ls")).code).toBe(0);
  await ended(running);
});

test("[K122] projects keeps a list, and serve outside a project serves all of it", async () => {
  const env = home();
  const [one, two] = [project(), project()];
  for (const dir of [one, two]) expect(await start(dir, ["projects", "add"], { env }).ended).toMatchObject({ code: 0 });
  const running = await serving(env.HOME, [], env);
  const { url, token } = serverJson(one);
  expect(serverJson(two).url).toBe(url);
  const list = await fetch(`${url}/api/projects`, { headers: { authorization: `Bearer ${token}` } });
  expect(await list.json()).toHaveLength(2);
  expect((await start(env.HOME, ["projects"], { env }).ended).stdout).toContain(`${two}\t${url}\n`);
  await ended(running);
  expect(await start(one, ["projects", "rm"], { env }).ended).toMatchObject({ code: 0 });
  expect((await start(env.HOME, ["projects"], { env }).ended).stdout).toBe(`${two}\t–\n`);
  expect((await start(one, ["projects", "rm"], { env }).ended).code).toBe(3);
});

test("[SV84] a taken port is refused with what to do, and the project is released", async () => {
  const [dir, other] = [project(), project()];
  const running = await serving(dir);
  const { port } = new URL(serverJson(dir).url);
  expect(await colloquy(other, "serve", "--port", port)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Port ${port} on 127.0.0.1 is taken. Choose another with --port`),
  });
  expect((await colloquy(other, "new", "--wait", "Hello")).code).toBe(0);
  await ended(running);
});

test("[K123] open gives the link to a dialog of the running server, and says how to start one", async () => {
  const dir = project();
  expect(await colloquy(dir, "open")).toMatchObject({ code: 1, stderr: expect.stringContaining("colloquy serve") });
  const { out } = await inTerminal(dir, ["--json", "new", "Hello"]);
  const { rootId } = JSON.parse(out) as { rootId: string };
  const running = await serving(dir);
  const { url } = serverJson(dir);
  const signIn = (link: string) => {
    const body = JSON.stringify({ token: link.trim().split("#token=")[1] });
    return fetch(`${url}/api/session`, { method: "POST", headers: { "content-type": "application/json" }, body });
  };
  const { stdout: link } = await colloquy(dir, "open");
  expect(link).toMatch(new RegExp(`^${url}/#token=\\S+\n$`));
  expect([(await signIn(link)).status, (await signIn(link)).status]).toEqual([200, 401]);
  expect((await colloquy(dir, "open", rootId.slice(-6))).stdout).toMatch(new RegExp(`^${url}/d/${rootId}#token=\\S+\n$`));
  expect(await colloquy(dir, "open", "ffffff")).toMatchObject({ code: 3 });
  await ended(running);
});

test("[K124] search finds words, for people and for pipes", async () => {
  const dir = project();
  const { out } = await inTerminal(dir, ["--json", "new", "--title", "Orders", "Soft delete is a must"]);
  const { rootId } = JSON.parse(out) as { rootId: string };
  const { code, stdout } = await colloquy(dir, "search", "soft", "delete");
  expect(code).toBe(0);
  expect(stdout.split("\n").map((line) => line.split("\t").filter((_, nth) => nth !== 2))).toEqual([
    [rootId, "3", "lead", "I heard: Soft delete is a must"],
    [rootId, "2", "owner", "Soft delete is a must"],
    [""],
  ]);
  expect((await inTerminal(dir, ["search", "elephant"])).out).toBe("Nothing was found.\n");
  expect(await colloquy(dir, "search", "--limit", "0", "x")).toMatchObject({ code: 2 });
});

const asOthersCanRead = (path: string) =>
  `Other users of this machine can read or change ${path}, and its content lets them act as you. Run: chmod 600 ${path}. If they may have read it, also run: colloquy users token rotate\n`;

test.each(["server-token", "sessions.json"])(
  "[SV50] serve refuses a %s that other users can read, until it is private",
  async (name) => {
    const dir = project();
    const path = join(dir, ".dialogs", name);
    mkdirSync(join(dir, ".dialogs"));
    writeFileSync(path, name === "sessions.json" ? '{"sessions":[]}\n' : `${"t".repeat(43)}\n`);
    chmodSync(path, 0o640);
    expect(await colloquy(dir, "serve", "--port", "0")).toMatchObject({ code: 1, stdout: "", stderr: asOthersCanRead(path) });
    chmodSync(path, 0o600);
    await ended(await serving(dir));
  },
  60_000,
);

test("[SV50] a command refuses the server.json of a running server that others can change, and ignores an old one", async () => {
  const dir = project();
  const running = await serving(dir);
  const path = join(dir, ".dialogs", "server.json");
  chmodSync(path, 0o602);
  expect(await colloquy(dir, "ls")).toMatchObject({ code: 1, stdout: "", stderr: asOthersCanRead(path) });
  chmodSync(path, 0o600);
  expect(await colloquy(dir, "ls")).toMatchObject({ code: 0 });
  const old = readFileSync(path, "utf8");
  await ended(running);
  writeFileSync(path, old);
  chmodSync(path, 0o666);
  expect(await colloquy(dir, "ls")).toMatchObject({ code: 0 });
  await serving(dir);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("[SV50] a named pipe instead of a token is refused without blocking", async () => {
  const dir = project();
  const path = join(dir, ".dialogs", "server-token");
  mkdirSync(join(dir, ".dialogs"));
  execFileSync("mkfifo", [path]);
  const { code, stderr } = await colloquy(dir, "serve", "--port", "0");
  expect([code, stderr]).toEqual([1, `${path} is not a file. Remove it; the next start makes a new one.\n`]);
  rmSync(path);
});

test("[SV51] a server on the network warns that plain HTTP hides nothing", async () => {
  const dir = project();
  const { stderr } = await ended(await serving(dir, ["--host", "0.0.0.0"]));
  expect(stderr).toMatch(/^Warning: 0\.0\.0\.0 is reachable from the network, and plain HTTP shows tokens and messages/);
  expect(stderr).toContain("reverse proxy with TLS");
  expect(stderr).toContain("server: { origins:");
});

test("[K131] ask --wait prints the answer that somebody gives elsewhere; the same msgId asks once", async () => {
  const dir = project();
  await serving(dir);
  const words = ["ask", "--msg-id", "release-7", "--wait", "--choice", "Yes", "--choice", "No", "Deploy?"];
  const first = start(dir, words);
  await first.says("Waiting for an answer");
  first.kill("SIGKILL");
  const asking = start(dir, words);
  await asking.says("Waiting for an answer");
  const { questions } = JSON.parse((await colloquy(dir, "questions", "--json")).stdout) as { questions: { id: string }[] };
  expect(questions).toHaveLength(1);
  await colloquy(dir, "answer", questions[0]?.id ?? "", "--choice", "2", "Not on a Friday");
  expect(await asking.ended).toMatchObject({ code: 0, stdout: "No\nNot on a Friday\n" });
  expect(await start(dir, words).ended).toMatchObject({ code: 0, stdout: "No\nNot on a Friday\n" });
});

test("[K131] with a timeout the question stays open; dismissed, the script is told", async () => {
  const dir = project();
  await serving(dir);
  expect(await start(dir, ["ask", "--wait", "--timeout", "1s", "Deploy?"]).ended).toMatchObject({ code: 4, stdout: "" });
  const asking = start(dir, ["ask", "--wait", "Really?"]);
  await asking.says("Waiting for an answer");
  const { questions } = JSON.parse((await colloquy(dir, "questions", "--json")).stdout) as {
    questions: { id: string; headline: string }[];
  };
  await colloquy(dir, "dismiss", questions.find(({ headline }) => headline === "Really?")?.id ?? "", "--why", "Ask later");
  expect(await asking.ended).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("Ask later") as string });
});
