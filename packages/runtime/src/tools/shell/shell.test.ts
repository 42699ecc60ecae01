import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createSocket } from "node:net";
import { networkInterfaces, tmpdir, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { bubblewrap } from "./bubblewrap.ts";
import { CapturedOutput } from "./captured-output.ts";
import { commandEnv } from "./command-env.ts";
import { noNetwork, pasta } from "./pasta.ts";
import { commandNetwork, notIsolated, sandboxStatus } from "./sandbox.ts";
import { toolNamed, tryToUse, use, withoutLayers } from "../testing.ts";

function project(files: Readonly<Record<string, string>> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-shell-"));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
  return dir;
}
const run = (dir: string, command: string, more: object = {}, over: Parameters<typeof use>[3] = {}): Promise<string> =>
  use(dir, "run_command", { command, ...more }, over);

/** When the command has created this file: in the project, or on its layer. */
async function made(dir: string, name: string): Promise<void> {
  const folders = [dir, join(dir, ".dialogs/layers", "0".repeat(32), "upper")];
  await expect.poll(() => folders.some((folder) => existsSync(join(folder, name)))).toBe(true);
}

let tokens = 0;
/** Something that only processes of this test have on their command line. */
const token = (): string => `1000.${process.pid}${String((tokens += 1)).padStart(4, "0")}`;

const isRunning = (mark: string): boolean =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(mark);
      } catch {
        return false; // It is over by now.
      }
    });

const missing = { status: () => notIsolated("bubblewrap is missing") };
const ways = [
  ["in bubblewrap", {}],
  ["without a sandbox", missing],
] as const;

describe.each(ways)("%s", (_way, shell) => {
  test("[H1] exit code and output, both streams in order", async () => {
    const dir = project({ "src/a.txt": "one" });
    expect(await run(dir, "echo a; echo b >&2; echo c; exit 3", {}, { shell })).toBe("Exit code 3.\na\nb\nc");
    expect(await run(dir, "true", {}, { shell })).toBe("Exit code 0.\n(no output)");
    expect(await run(dir, "cat a.txt; echo; [[ a = a ]] && pwd", { cwd: "src" }, { shell })).toBe(`Exit code 0.\none\n${join(dir, "src")}`);
    expect(await run(dir, "kill -SEGV $$", {}, { shell })).toMatch(/^(?:Exit code 139|Ended by SIGSEGV)\./);
    expect(await run(dir, String.raw`printf '\033[31mred\033[0m\n'; read -r x || echo no input`, {}, { shell })).toBe(
      "Exit code 0.\nred\nno input",
    );
    expect(await run(dir, "echo written > new.txt", {}, { shell })).toMatch(/^Exit code 0/);
    expect(readFileSync(join(dir, "new.txt"), "utf8")).toBe("written\n");
  });

  test("[H6] a command gets next to nothing of our environment", async () => {
    const env = {
      PATH: process.env["PATH"],
      LANG: "C.UTF-8",
      OPENAI_API_KEY: "sk-12345678",
      COLLOQUY_TOKEN: "t0ken-12345",
      SSH_AUTH_SOCK: "/x",
      HOME: "/home/me",
      NODE_OPTIONS: "--inspect",
      http_proxy: "http://u:p@h",
    };
    const text = await run(project(), "env; echo ~", {}, { shell: { ...shell, env } });
    expect(text).toMatch(/^LANG=C\.UTF-8$/m);
    expect(text).not.toMatch(/sk-1|t0ken|SSH_AUTH|home\/me|inspect|proxy/);
    expect(text).toMatch(/^HOME=\/tmp\//m);
  });

  test("[H10] on timeout it is killed, and its output is kept", async () => {
    const text = await run(project(), "echo begun; sleep 1000", { timeoutMs: 1_000 }, { shell });
    const kept = "status" in shell ? "How far it came is unknown." : "Nothing of what it did was kept.";
    expect(text).toBe(`Ended after 1 s, which was its limit (timeoutMs). ${kept}\nbegun`);
  });

  test("[H11] a long output keeps its beginning and its end", async () => {
    const text = await run(project(), "seq 1 1000000; exit 7", {}, { shell });
    expect(text).toMatch(/^Exit code 7\.\nThe output has \d+ characters\. To read all of it, write it to a file .*\n1\n2\n3\n/);
    expect(text).toMatch(/\n… \d+ bytes left out …\n/);
    expect(text.slice(-29)).toBe("\n999997\n999998\n999999\n1000000");
    expect(text.length).toBeLessThan(3_100_000);
  });
  test("[H11] endless output is stopped", async () => {
    expect(await run(project(), "yes", {}, { shell })).toMatch(/^Ended, since its output was beyond all limits/);
  });

  test("[H12] abort ends it and its children", async () => {
    const [dir, mark] = [project(), token()];
    const stop = new AbortController();
    const running = run(dir, `(sh -c 'touch ready; sleep ${mark}' & wait) & wait`, {}, { shell, signal: stop.signal });
    running.catch(() => undefined);
    await made(dir, "ready");
    stop.abort(new Error("stopped by a person"));
    await expect(running).rejects.toThrow("stopped by a person");
    await expect.poll(() => isRunning(mark)).toBe(false);
  });
  test("[H12] its background processes end with it", async () => {
    const mark = token();
    const command = `mkfifo /tmp/${mark}; sh -c 'echo > /tmp/${mark}; sleep ${mark}' & read -r x < /tmp/${mark}; rm /tmp/${mark}; echo begun`;
    expect(await run(project(), command, {}, { shell })).toBe("Exit code 0.\nbegun");
    await expect.poll(() => isRunning(mark)).toBe(false);
  });
  test("[H12] processes that leave its session end with it", async () => {
    const mark = token();
    const command = `mkfifo /tmp/${mark}; setsid -f sh -c 'echo > /tmp/${mark}; exec sleep ${mark}' > /dev/null 2>&1; read -r x < /tmp/${mark}; rm /tmp/${mark}; echo begun`;
    expect(await run(project(), command, {}, { shell })).toBe("Exit code 0.\nbegun");
    await expect.poll(() => isRunning(mark)).toBe(false);
  });
  test("[H24] a command writes no core files and can't use up the machine's memory", async () => {
    const [core, data] = (await run(project(), "ulimit -c; ulimit -d", {}, { shell })).split("\n").slice(1);
    expect(core).toBe("0");
    expect(Number(data)).toBeLessThan(totalmem() / 1024);
  });
  test("[H12] a command aborted before its start never starts", async () => {
    const dir = project();
    await expect(run(dir, "touch ran", {}, { shell, signal: AbortSignal.abort(new Error("too late")) })).rejects.toThrow("too late");
    expect(existsSync(join(dir, "ran"))).toBe(false);
  });

  test("[H20] the folder it starts in is one of the project's", async () => {
    const dir = project({ "a.txt": "", "memory/x": "" });
    symlinkSync("..", join(dir, "up"));
    for (const [cwd, message] of [
      ["..", /outside/],
      ["up", /outside/],
      ["memory", /not open to tools/],
      ["none", /There is no/],
      ["a.txt", /is not a folder/],
    ] as const)
      await expect(run(dir, "pwd", { cwd }, { shell })).rejects.toThrow(message);
    await expect(run(dir, "echo a\0b", {}, { shell })).rejects.toThrow(/zero bytes/);
  });
});

test("[H12] in bubblewrap nothing escapes, not even with a new session", async () => {
  const [dir, mark] = [project(), token()];
  const stop = new AbortController();
  const command = `(setsid -f sh -c 'touch ready; exec sleep ${mark}' > /dev/null 2>&1); sleep ${mark}`;
  const running = run(dir, command, {}, { signal: stop.signal });
  running.catch(() => undefined);
  await made(dir, "ready");
  stop.abort(new Error("stopped"));
  await expect(running).rejects.toThrow("stopped");
  await expect.poll(() => isRunning(mark)).toBe(false);
});
test("[H12] a command dies with this process, however that dies", async () => {
  const [dir, mark] = [project(), token()];
  const script = `import { use } from ${JSON.stringify(fileURLToPath(new URL("../testing.ts", import.meta.url)))};
    await use(${JSON.stringify(dir)}, "run_command", { command: "setsid sh -c 'touch ready; exec sleep ${mark}' & wait" });`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", script], { stdio: "ignore" });
  await made(dir, "ready");
  child.kill("SIGKILL");
  await expect.poll(() => isRunning(mark)).toBe(false);
});

test("[H26] a command inherits no open file or folder of ours", () => {
  const around = project({ "secret.txt": "outside", "shop/a.txt": "" });
  const script = `import { use } from ${JSON.stringify(fileURLToPath(new URL("../testing.ts", import.meta.url)))};
    const command = "cat /proc/self/fd/77/secret.txt; cd /proc/self/fd/88";
    console.log(await use(${JSON.stringify(join(around, "shop"))}, "run_command", { command }));`;
  const node = [process.execPath, "--input-type=module-typescript", "--eval", script];
  const text = execFileSync("/bin/bash", ["-c", `exec 77<${around} 88<${around}; exec "$@"`, "bash", ...node], { encoding: "utf8" });
  expect(text).toMatch(/^Exit code 1\.\ncat: \/proc\/self\/fd\/77\/secret\.txt: Not a directory\n.*Not a directory$/m);
});

test("[H2] a hidden name is visible, its content is not", async () => {
  const dir = project({ ".env": "KEY=1", "tasks/a.tsk/goals.md": "goals", "certs/x.pem": "pem" });
  const text = await run(dir, "ls -A . tasks certs; cat .env certs/x.pem; ls tasks/a.tsk");
  expect(text).toMatch(/\.env\n/);
  expect(text).toMatch(
    /cat: \.env: Permission denied\ncat: certs\/x\.pem: Permission denied\nls: cannot open directory 'tasks\/a\.tsk': Permission denied$/,
  );
});

test("[H3] the settings can be read", async () => {
  const dir = project({ "colloquy.yaml": "agents: {}", "agents/lead.md": "You lead." });
  expect(await run(dir, "cat colloquy.yaml agents/lead.md; touch agents/x")).toMatch(
    /^Exit code 1\.\nagents: \{\}You lead\.touch: .*Read-only file system$/,
  );
});

const servers: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  vi.unstubAllEnvs();
});
/** A page at an address of this machine, and the command that requests it. */
async function page(host: string): Promise<(asked: string) => string> {
  const server = createServer((_request, response) => response.end("hello from outside"));
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, host, listening));
  const { port } = server.address() as AddressInfo;
  return (asked) => `timeout 5 bash -c "exec 3<>/dev/tcp/${asked}/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3"`;
}
/** An address at which others reach this machine. */
const ADDRESS = Object.values(networkInterfaces())
  .flat()
  .find((one) => one && !one.internal && one.family === "IPv4")?.address;

test("[H5] there is no network unless it is allowed", async () => {
  const loopback = await page("127.0.0.1");
  expect(await run(project(), loopback("127.0.0.1"))).toMatch(/^Exit code 1\.\n.*Connection refused/);
  expect(await run(project(), loopback("127.0.0.1"), {}, { shell: { network: "host" } })).toMatch(/hello from outside$/);
});
test("[H29] its own network reaches the machine from outside, not its 127.0.0.1", async () => {
  expect(ADDRESS ?? "This machine has no address by which others reach it.").toMatch(/^\d/);
  const shell = { network: "own" } as const;
  const open = await page(ADDRESS ?? "");
  expect(await run(project(), open(ADDRESS ?? ""), {}, { shell })).toMatch(/hello from outside$/);

  const loopback = await page("127.0.0.1");
  const gateway = execFileSync("/bin/sh", ["-c", "ip route 2>/dev/null | awk '/^default/ {print $3; exit}'"], { encoding: "utf8" }).trim();
  const ways = ["127.0.0.1", "localhost", "0.0.0.0", "192.0.0.1", "192.0.0.2", ADDRESS ?? "", ...(gateway === "" ? [] : [gateway])].map(
    loopback,
  );
  const text = await run(project(), `${ways.join(" & ")} & wait`, {}, { shell });
  expect(text).toMatch(/^Exit code 0\./);
  expect(text).not.toContain("hello from outside");
});
test("[H29] nor its abstract sockets", async () => {
  const name = `colloquy-${process.pid}`;
  const server = createSocket((socket) => socket.end("hello from outside"));
  servers.push(server);
  await new Promise<void>((listening) => server.listen(`\0${name}`, listening));
  const connect = `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack_sockaddr_un("\\0${name}")) or die $!; print <S>'`;
  expect(await run(project(), connect, {}, { shell: { network: "host" } })).toMatch(/hello from outside$/);
  expect(await run(project(), connect, {}, { shell: { network: "own" } })).toMatch(/Connection refused/);
});
test("[H29] it ends with the command, and with us", async () => {
  // Without layers, so that the files by which a command reports its progress are visible.
  const dir = project();
  // Its arguments contain the folder for temporary files, which tells it from other tests' processes.
  const running = () =>
    spawnSync("/bin/sh", ["-c", `ps -eo args | grep -c '[p]asta --config-net.*--pid ${dir}/'`], { encoding: "utf8" }).stdout.trim();
  vi.stubEnv("TMPDIR", dir);
  const first = made(dir, "first");
  const quick = run(dir, "touch first; mkfifo go; read -r x < go", {}, { shell: { network: "own", status: withoutLayers } });
  await first;
  expect(running()).not.toBe("0");
  writeFileSync(join(dir, "go"), "now\n");
  await quick;
  await expect.poll(running).toBe("0");
  const ready = made(dir, "ready");
  const script = `import { use, withoutLayers } from ${JSON.stringify(fileURLToPath(new URL("../testing.ts", import.meta.url)))};
    await use(${JSON.stringify(dir)}, "run_command", { command: "touch ready; sleep 1000" }, { shell: { network: "own", status: withoutLayers } });`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", script], { stdio: "ignore" });
  await ready;
  expect(running()).not.toBe("0");
  child.kill("SIGKILL");
  await expect.poll(running).toBe("0");
});
test("[H29] without pasta a command that should have a network is not run", async () => {
  expect(await pasta(["/nowhere/pasta"])).toEqual({ problem: "pasta is missing" });
  expect(noNetwork("pasta is missing")).toBe(
    "shell.network gives commands a network of their own, and pasta is missing. Install it: sudo apt-get install passt. With shell.hostNetwork: true they share this machine's network instead, with all that listens on its 127.0.0.1.",
  );
  expect([false, true].map((hostNetwork) => commandNetwork({ network: true, hostNetwork }))).toEqual(["own", "host"]);
  expect(commandNetwork({ network: false, hostNetwork: true })).toBe("none");
});
test("[H5] sockets in the project can't be connected", async () => {
  const dir = project();
  const server = createSocket((socket) => socket.end("hello from outside"));
  servers.push(server);
  await new Promise<void>((listening) => server.listen(join(dir, "socket"), listening));
  const connect = `python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.connect('socket'); print(s.recv(99))"`;
  expect(await run(dir, connect)).toMatch(/^Exit code 1\.[\s\S]*(?:Permission denied|refused)/);
});

test("[H6] some variables are kept by name, secret values are not", () => {
  const env = commandEnv(
    {
      LC_ALL: "C",
      TZ: "UTC",
      GIT_AUTHOR_NAME: "A",
      AWS_SECRET_ACCESS_KEY: "x",
      PATH: "/usr/bin:.::rel:/bin",
      https_proxy: "http://h:1",
      HTTP_PROXY: "http://u:p@h",
    },
    true,
  );
  expect(env).toMatchObject({ LC_ALL: "C", TZ: "UTC", GIT_AUTHOR_NAME: "A", PATH: "/usr/bin:/bin", https_proxy: "http://h:1" });
  expect(Object.keys(env)).not.toContain("AWS_SECRET_ACCESS_KEY");
  expect(Object.keys(env)).not.toContain("HTTP_PROXY");
  expect(commandEnv({ https_proxy: "http://h:1" }, false)).toEqual({
    PATH: "/usr/local/bin:/usr/bin:/bin",
    TERM: "dumb",
    NO_COLOR: "1",
    PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
  });
});

test("[H7] hidden names, settings and repositories that it creates are left out", async () => {
  const dir = project({ ".dialogs/x": "", "src/a.txt": "" });
  const text = await run(
    dir,
    "echo K=1 > .env; mkdir -p src/p.tsk; echo g > src/p.tsk/goals.md; echo k > src/a.key; git init -q; echo 'a: 1' > colloquy.yaml; echo ok > src/b.txt",
  );
  expect(text).toBe(
    "Exit code 0.\nTools may not make or change .env, .git, colloquy.yaml, src/a.key, src/p.tsk. That part was left out.\n(no output)",
  );
  expect(readdirSync(dir).toSorted()).toEqual([".dialogs", "src"]);
  expect(readdirSync(join(dir, "src")).toSorted()).toEqual(["a.txt", "b.txt"]);
});

test("[H7] nor anything else it leaves behind", async () => {
  const dir = project({ "src/a.txt": "" });
  const text = await run(
    dir,
    String.raw`echo K=1 > .env; touch "src/$(printf '.env\377')" "src/$(printf 'plain\377')"; mkdir n; touch "n/$(printf 'x\377')"`,
  );
  expect(text).toMatch(/may not make or change \.env, n\/x., src\/\.env., src\/plain.\. That part was left out/);
  expect([readdirSync(dir).toSorted(), readdirSync(join(dir, "src")), readdirSync(join(dir, "n"))]).toEqual([
    [".dialogs", "n", "src"],
    ["a.txt"],
    [],
  ]);
  expect(await run(project({}), "mkdir -p d x.tsk; echo K=1 > d/.env; chmod 555 d; chmod 000 x.tsk")).toMatch(
    /may not make or change d\/\.env, x\.tsk\. That part was left out/,
  );
  const deep = project({});
  const dig = "import os\nfor _ in range(1200):\n  os.mkdir('d'); os.chdir('d')";
  expect(await run(deep, `echo K=1 > .env; python3 -c "${dig}"`)).toMatch(/^Exit code 0\.\nTools may not make or change \.env, d\/d\//);
  spawnSync("rm", ["-rf", deep]);
});

test("[H8] Colloquy's own folders cannot be made", async () => {
  const dir = project({ "a.txt": "" });
  expect(
    await run(dir, "mkdir -p agents memory tasks prd .dialogs; touch agents/evil.md memory/x tasks/x prd/x; touch .dialogs/x"),
  ).toMatch(/may not make or change agents, memory, prd, tasks\. That part was left out\.\ntouch: .*\.dialogs\/x.*Permission denied/);
  expect(readdirSync(dir)).toEqual(["a.txt"]);
});
test("[H8] a person's own folder named tasks stays theirs", async () => {
  const dir = project({ "tasks/build.js": "1" });
  const text = await run(dir, "echo 2 > tasks/build.js; mkdir tasks/evil.tsk");
  expect(text).toMatch(/may not make or change tasks\/evil\.tsk/);
  expect(readFileSync(join(dir, "tasks/build.js"), "utf8")).toBe("2\n");
  expect(readdirSync(join(dir, "tasks"))).toEqual(["build.js"]);
});

test("[H9] a link's target is closed, and the link stays", async () => {
  const dir = project({ "team/lead.md": "You lead.", "conf/env": "KEY=1" });
  symlinkSync("team", join(dir, "agents"));
  symlinkSync("conf/env", join(dir, ".env"));
  const text = await run(
    dir,
    "cat .env conf/env; touch team/evil.md agents/evil.md; rm agents .env; mkdir agents; touch agents/evil.md; ln -s /tmp .env",
  );
  expect(text).toMatch(/Tools may not make or change \.env, agents\. That part was left out\./);
  expect(text).not.toMatch(/KEY=1/);
  expect([readlinkSync(join(dir, "agents")), readlinkSync(join(dir, ".env")), readdirSync(join(dir, "team"))]).toEqual([
    "team",
    "conf/env",
    ["lead.md"],
  ]);
});

test("[H13] without a sandbox every command asks a person", () => {
  const tool = toolNamed("run_command", missing);
  expect(tool.approval({ command: "ls" })).toBe(
    "Commands are not isolated here (bubblewrap is missing). This one can read and change whatever you can, on the whole machine.",
  );
  expect(toolNamed("run_command").approval({ command: "ls" })).toBe(false);
});
test("[H13] people are told what is missing and what to do", () => {
  expect(notIsolated("bubblewrap is missing")).toMatchObject({
    message: "Commands are not isolated here (bubblewrap is missing). Each one will ask you. Install: sudo apt-get install bubblewrap",
  });
  expect(bubblewrap(["/nowhere/bwrap"])).toEqual({ problem: "bubblewrap is missing" });
  expect(sandboxStatus()).toMatchObject({ isIsolated: true, sandbox: { name: "bubblewrap" } });
});
test("[H13] an installed sandbox that fails counts as none", () => {
  const dir = project({ bwrap: "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2; exit 1\n" });
  chmodSync(join(dir, "bwrap"), 0o755);
  expect(bubblewrap([join(dir, "bwrap")])).toEqual({ problem: "bubblewrap does not work: setting up uid map: Permission denied" });
});

test("[H15] a command is never retried automatically", () => {
  expect(toolNamed("run_command")).toMatchObject({ kind: "effects", repeatable: false, polls: false });
});

test("[H17] a bwrap on the PATH is not used", async () => {
  const dir = project({ "bin/bwrap": "#!/bin/sh\ntouch /tmp/colloquy-evil\n" });
  chmodSync(join(dir, "bin/bwrap"), 0o755);
  expect(await run(dir, "echo fine", {}, { shell: { env: { PATH: `${join(dir, "bin")}:/usr/bin:/bin` } } })).toBe("Exit code 0.\nfine");
  expect(existsSync("/tmp/colloquy-evil")).toBe(false);
});

test("[H18] programs elsewhere are available with their libraries; people's own folders are not", async () => {
  const around = project({
    "opt/tool/bin/hello": "#!/bin/sh\ncat $(dirname $0)/../lib/words $(dirname $0)/../share/words\n",
    "opt/tool/lib/words": "hello\n",
    "opt/tool/share/words": "there\n",
    "opt/tool/var/data": "customers\n",
    "opt/tool/etc/password": "secret\n",
    "opt/tool/notes.txt": "mine\n",
    "shims/cat": "#!/bin/sh\necho broken\n",
    "shop/a.txt": "a\n",
  });
  for (const program of ["opt/tool/bin/hello", "shims/cat"]) chmodSync(join(around, program), 0o755);
  const env = { PATH: `${join(around, "shims")}:${join(around, "opt/tool/bin")}:/usr/bin:/bin` };
  const shop = join(around, "shop");
  expect(await run(shop, "hello; cat a.txt", {}, { shell: { env } })).toBe("Exit code 0.\nhello\nthere\na");
  expect(await run(shop, `ls -A ${join(around, "opt/tool")}`, {}, { shell: { env } })).toBe("Exit code 0.\nbin\nlib\nshare");
});

test("[H27] /tmp, /var/tmp and the home folder share one limit, and nothing else uses memory", async () => {
  const dir = project();
  const [tmp, varTmp, home, shm] = (await run(dir, "stat -f -c '%i %b %S' /tmp /var/tmp ~; stat -f -c '%b %S' /dev/shm"))
    .split("\n")
    .slice(1);
  expect([varTmp, home]).toEqual([tmp, tmp]);
  const bytes = (line: string | undefined) =>
    (line ?? "")
      .split(" ")
      .slice(-2)
      .map(Number)
      .reduce((one, other) => one * other, 1);
  expect(bytes(tmp)).toBeLessThanOrEqual(totalmem() / 4 + 4096);
  expect(bytes(shm)).toBeLessThanOrEqual(totalmem() / 16 + 4096);
  expect(
    await run(
      dir,
      "echo x > /tmp/a && cat /var/tmp/a; echo x > ~/a; echo x > /dev/shm/a; echo x > /dev/a; echo x > /var/a; echo x > /a; echo x > /run/a",
    ),
  ).toMatch(
    /^Exit code 1\.\nx\n.*\/dev\/a: Read-only file system\n.*\/var\/a: Read-only file system\n.*\/a: Read-only file system\n.*\/run\/a: Read-only file system$/,
  );
  const elsewhere = mkdtempSync("/var/tmp/colloquy-shell-");
  expect(await run(elsewhere, `echo x > a; cat ${elsewhere}/a`)).toBe("Exit code 0.\nx");
  expect(readFileSync(join(elsewhere, "a"), "utf8")).toBe("x\n");
  rmSync(elsewhere, { recursive: true });
});

test("[H19] without a working sandbox nothing runs", async () => {
  const dir = project();
  const made = (script: string) => ({
    name: "made",
    lacks: [],
    plan: async () => ({
      file: "/bin/sh",
      args: ["-c", script],
      env: {},
      cwd: "/",
      feeds: {},
      statusOn: 3,
      finish: async () => [],
    }),
  });
  const runIn = (script: string) => run(dir, "touch ran", {}, { shell: { status: () => ({ isIsolated: true, sandbox: made(script) }) } });
  const child = `echo '{ "child-pid": 4711 }' >&3`;
  await expect(runIn(`${child}; echo 'no namespace' >&2; exit 1`)).rejects.toThrow(
    "The command was not run: the sandbox could not be made. no namespace",
  );
  await expect(runIn(`${child}; exit 1`)).rejects.toThrow("The command was not run: the sandbox could not be made. It ended with 1.");
  expect(existsSync(join(dir, "ran"))).toBe(false);
  // Only what bubblewrap reports counts, not whether it said something.
  expect(await runIn(`${child}; echo 'a warning' >&2; echo out; echo '{ "exit-code": 3 }' >&3; exit 3`)).toBe("Exit code 3.\nout");
  expect(await runIn("kill -KILL $$")).toBe("Ended by SIGKILL.\n(no output)");
});
test("[H19] a command can't fake a failed sandbox", async () => {
  const dir = project();
  expect(await run(dir, "echo 'bwrap: no' >&2; exit 1")).toBe("Exit code 1.\nbwrap: no");
  expect(await run(dir, "echo '{ \"exit-code\": 0 }' >&5; exit 7")).toMatch(/^Exit code 7\./);
});
test("[H19] nothing runs if a hidden file can't be closed", async () => {
  const dir = project();
  execFileSync("/bin/sh", ["-c", String.raw`touch "$(printf '.env\377')"`], { cwd: dir });
  expect(await tryToUse(dir, "run_command", { command: "touch ran" })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/No command is run here: the name of .* is not valid UTF-8/),
  });
  const many = project(Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`keys/${at}.pem`, ""])));
  expect(await tryToUse(many, "run_command", { command: "touch ran" })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/too many hidden files/),
  });
  expect([existsSync(join(dir, "ran")), existsSync(join(many, "ran")), readdirSync(many)]).toEqual([false, false, ["keys"]]);
});

test("[H21] git works, leaves out closed files, and can't be reconfigured", async () => {
  const dir = project({ ".env": "KEY=1", "certs/x.pem": "pem", "memory/a.md": "", "src/a.txt": "one\n" });
  execFileSync("git", ["init", "--quiet"], { cwd: dir });
  execFileSync("git", ["config", "user.email", "a@b"], { cwd: dir });
  execFileSync("git", ["config", "user.name", "A"], { cwd: dir });
  expect(await run(dir, "git add -A && git commit -qm first && git ls-files && git config user.name evil")).toMatch(
    /^Exit code \d+\.\nsrc\/a\.txt\nerror: .*config/,
  );
  expect(execFileSync("git", ["log", "--format=%an %s"], { cwd: dir, encoding: "utf8" })).toBe("A first\n");
});

test("[H22] a file with a hidden or outside hard link is closed", async () => {
  const around = project({ "secret.txt": "outside", "shop/.env": "KEY=1", "shop/a.txt": "shared\n" });
  const dir = join(around, "shop");
  linkSync(join(dir, ".env"), join(dir, "env.txt"));
  linkSync(join(around, "secret.txt"), join(dir, "out.txt"));
  linkSync(join(dir, "a.txt"), join(dir, "b.txt"));
  expect(await run(dir, "cat env.txt out.txt b.txt")).toBe(
    "Exit code 1.\ncat: env.txt: Permission denied\ncat: out.txt: Permission denied\nshared",
  );
  expect(lstatSync(join(dir, "env.txt")).nlink).toBe(2);
});

test("[H11] captured output never exceeds its limits", () => {
  const output = new CapturedOutput(10);
  for (const chunk of ["abcdefgh", "ijklmnop", "qrstuvwx", "yz0123456789"]) output.add(Buffer.from(chunk));
  expect(output.text()).toBe("abcdefghij\n… 16 bytes left out …\n0123456789");
  const short = new CapturedOutput(10);
  short.add(Buffer.from("abcdefghijklmno"));
  expect(short.text()).toBe("abcdefghijklmno");
});
