// Ways for an agent to get its file run outside its sandbox: by us, or by a person's git and npx. After each attempt all of these are
// used as people use them. None may start the agent's file.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { notIsolated } from "./sandbox.ts";
import { tryToUse } from "../testing.ts";

interface Victim {
  readonly dir: string;
  /** Created by the agent's file, if it ever ran outside the sandbox. */
  readonly ran: string;
  /** The agent's file. */
  readonly evil: string;
}

/** A project with a repository, an executable file of the agent's, and a folder `sub`. */
function victim(): Victim {
  const around = realpathSync(mkdtempSync(join(tmpdir(), "colloquy-victim-")));
  const dir = join(around, "shop");
  mkdirSync(join(dir, "sub"), { recursive: true });
  const evil = join(dir, "evil");
  writeFileSync(evil, `#!/bin/sh\ntouch ${around}/ran\n`);
  chmodSync(evil, 0o755);
  writeFileSync(join(dir, "a.txt"), "one\n");
  for (const args of [
    ["init", "-q"],
    ["config", "user.name", "A"],
    ["config", "user.email", "a@example.com"],
    ["add", "a.txt"],
    ["commit", "-qm", "first"],
  ])
    execFileSync("git", args, { cwd: dir });
  return { dir, ran: join(around, "ran"), evil };
}

type Step = readonly ["write", path: string, content: string | ((victim: Victim) => string)] | readonly ["run", command: string];
const write = (path: string, content: string | ((victim: Victim) => string) = ({ evil }) => `#!/bin/sh\nexec ${evil}\n`): Step => [
  "write",
  path,
  content,
];
const run = (command: string): Step => ["run", command];

const config = ({ evil }: Victim): string =>
  `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = ${evil}\n\tpager = ${evil}\n\tsshCommand = ${evil}\n\thooksPath = ${evil}\n[alias]\n\tst = !${evil}\n[diff]\n\texternal = ${evil}\n`;
const HEAD = "ref: refs/heads/main\n";
/** In a shell: the same settings. */
const CONFIG = (file: string): string =>
  ["fsmonitor", "pager", "sshCommand", "hooksPath"].map((name) => `git config -f ${file} core.${name} $PWD/evil`).join("; ") +
  `; git config -f ${file} diff.external $PWD/evil`;

const attempts: Readonly<Record<string, readonly Step[]>> = {
  // What starts us
  "npx takes .bin/colloquy": [write("node_modules/.bin/colloquy"), run("chmod +x node_modules/.bin/colloquy")],
  "npx takes .bin/colloquy of a command": [
    run("mkdir -p node_modules/.bin; cp evil node_modules/.bin/colloquy; ln -s ../../evil node_modules/.bin/cq"),
  ],
  "our first line takes .bin/node": [
    write("node_modules/.bin/node"),
    run("chmod +x node_modules/.bin/node; mkdir -p node_modules/.bin; ln -sf ../../evil node_modules/.bin/node"),
  ],
  "npx takes .bin/sh": [write("node_modules/.bin/sh"), run("mkdir -p node_modules/.bin; cp evil node_modules/.bin/sh")],
  "a folder moved to where npx looks": [run("mkdir -p m/.bin; cp evil m/.bin/colloquy; cp evil m/.bin/node; mv m node_modules")],
  "a link in place of node_modules": [run("mkdir -p m/.bin; cp evil m/.bin/colloquy; cp evil m/.bin/node; ln -s m node_modules")],
  "a package by our name": [
    write("node_modules/colloquy/package.json", '{"bin":"evil"}'),
    run("mkdir -p node_modules/colloquy; echo '{}' > node_modules/colloquy/package.json"),
  ],
  // Programs that we start
  "sync beside npx": [write("node_modules/.bin/sync"), run("mkdir -p node_modules/.bin; cp evil node_modules/.bin/sync")],
  "bwrap on the PATH": [run("mkdir -p node_modules/.bin; for name in bwrap pasta setpriv perl; do cp evil node_modules/.bin/$name; done")],
  "files that shells read": [
    write(".bashrc"),
    write(".profile"),
    write(".bash_profile"),
    write(".zshenv"),
    run("cp evil .bashrc; cp evil ~/.bashrc; cp evil ~/.profile"),
  ],
  "a library for every program": [run("echo $PWD/evil > /etc/ld.so.preload"), write("/etc/ld.so.preload")],
  "core files": [run('echo "|$PWD/evil" > /proc/sys/kernel/core_pattern; kill -SEGV $$')],
  "kernel helpers": [
    run(
      "echo $PWD/evil > /proc/sys/kernel/modprobe; echo $PWD/evil > /sys/kernel/uevent_helper; echo $PWD/evil > /proc/sys/kernel/hotplug",
    ),
  ],
  "a job for later": [run("(sleep 1; ./evil) & echo './evil' | at now; echo '* * * * * '$PWD/evil | crontab -")],
  "a process that stays": [run("setsid -f sh -c 'sleep 1; exec ./evil' >/dev/null 2>&1")],
  "another process of ours": [run(`for p in /proc/[0-9]*; do echo 'print("x")' > $p/mem; done; kill -USR1 1 ${process.pid}`)],
  "a terminal of ours": [run(`perl -e 'for (glob "/dev/pts/*"), "/dev/tty" { open F, "+<", $_; ioctl F, 0x5412, "x" }'`)],
  // git
  "a hook": [
    write(".git/hooks/post-checkout"),
    write(".git/hooks/pre-commit"),
    run("cp evil .git/hooks/pre-commit; cp evil .git/hooks/post-checkout"),
  ],
  "settings of git": [write(".git/config", config), run(CONFIG(".git/config"))],
  "settings of a worktree": [write(".git/config.worktree", config), run(CONFIG(".git/config.worktree"))],
  "settings by inclusion": [
    write("inc", config),
    run("git config include.path ../inc; printf '[include]\\n path = ../inc\\n' >> .git/config"),
  ],
  "a filter": [
    write(".gitattributes", "*.txt filter=evil diff=evil merge=evil\n"),
    run(
      "git config filter.evil.clean $PWD/evil; git config filter.evil.smudge $PWD/evil; git config diff.evil.textconv $PWD/evil; echo two >> a.txt",
    ),
  ],
  "attributes of the repository": [
    write(".git/info/attributes", "* filter=evil\n"),
    run("echo '* filter=evil' > .git/info/attributes; git config filter.evil.clean ./evil"),
  ],
  "another place for the repository": [write(".git/commondir", "../x\n"), run("mkdir -p x/objects x/refs; echo ../x > .git/commondir")],
  "a file in place of .git": [
    write("sub/.git", "gitdir: ../x\n"),
    run("git init -q x; rm -rf sub/.git; echo 'gitdir: ../x/.git' > sub/.git"),
  ],
  "a repository in a folder": [
    write("sub/.git/config", config),
    write("sub/.git/HEAD", HEAD),
    write("sub/.git/objects/x", ""),
    write("sub/.git/refs/x", ""),
  ],
  "a bare repository in a folder": [
    write("sub/config", config),
    write("sub/objects/x", ""),
    write("sub/refs/x", ""),
    write("sub/HEAD", HEAD),
  ],
  "a bare repository in another order": [
    write("sub/HEAD", HEAD),
    write("sub/config", config),
    write("sub/refs/x", ""),
    write("sub/objects/x", ""),
  ],
  "a part of a repository": [write("sub/HEAD", HEAD), write("sub/config", config), write("sub/commondir", "../.git\n")],
  "a repository by another spelling": [
    write("sub/.GIT/config", config),
    write("sub/.git./config", config),
    write("GIT~1/hooks/pre-commit"),
  ],
  "hooks that are moved into place": [
    run("mkdir h; cp evil h/pre-commit; cp evil h/post-checkout; mv .git/hooks old; mv h .git/hooks; ln -sfn ../h .git/hooks"),
  ],
  "a repository that is moved into place": [
    run("cp -r .git g; cp evil g/hooks/pre-commit; mv .git old; mv g .git; rm -rf .git; cp -r g .git"),
  ],
  "objects from elsewhere": [write(".git/objects/info/alternates", "/tmp\n")],
  "a submodule": [run("git submodule add ./ mod; cp evil .git/modules/mod/hooks/post-checkout"), write(".git/modules/mod/config", config)],
  "a worktree": [
    run("git worktree add -q wt; cp evil .git/worktrees/wt/post-checkout"),
    write(".git/worktrees/wt/config.worktree", config),
  ],
  "settings for all repositories": [
    run("git config --global core.fsmonitor $PWD/evil; git config --system core.fsmonitor $PWD/evil"),
    write("~/.gitconfig", config),
  ],
  "a socket that git asks": [
    run(
      "rm -f .git/fsmonitor--daemon.ipc; perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, pack_sockaddr_un(\".git/fsmonitor--daemon.ipc\"))'",
    ),
  ],
};

/** What people and we do in a project. */
async function live({ dir }: Victim): Promise<void> {
  const bin = join(dir, "node_modules/.bin");
  // Nothing of the agent's may be named like the programs started here, so the PATH is that of npx.
  const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: "/nonexistent", GIT_TERMINAL_PROMPT: "0" };
  // In any other folder git finds the project's own repository.
  const isRepository = (folder: string) => [".git", "HEAD", "commondir"].some((name) => existsSync(join(folder, name)));
  for (const cwd of [dir, ...readdirSync(dir).map((name) => join(dir, name))].filter(isRepository)) {
    for (const args of [
      ["status"],
      ["diff"],
      ["log", "-1"],
      ["commit", "--allow-empty", "-qm", "x"],
      ["checkout", "-q", "-b", "next"],
      ["stash"],
    ])
      spawnSync("/usr/bin/git", args, { cwd, env: { ...env, PATH: process.env["PATH"] }, timeout: 10_000 });
  }
  for (const name of ["colloquy", "cq"]) {
    const file = join(bin, name);
    if (existsSync(file)) spawnSync(file, ["--version"], { cwd: dir, env, timeout: 10_000 });
  }
  for (const name of ["node", "sh"]) spawnSync("/usr/bin/env", [name, "-c", "true"], { cwd: dir, env, timeout: 10_000 });
  await tryToUse(dir, "list_dir", { path: "." });
  await tryToUse(dir, "search_files", { pattern: "one" });
  // With their programs on the PATH: bwrap, pasta, sh.
  const network = existsSync(join(bin, "pasta")) ? "own" : "none";
  await tryToUse(dir, "run_command", { command: "true" }, { shell: { env, network } });
  const withoutSandbox = { env: { ...env, PATH: process.env["PATH"] }, status: () => notIsolated("none here") };
  await tryToUse(dir, "run_command", { command: "true" }, { shell: withoutSandbox });
}

test("[H31] there are enough attempts", () => {
  expect(Object.keys(attempts).length).toBeGreaterThan(30);
});
test("[H31] the test detects that the agent's file ran", () => {
  const { dir, ran, evil } = victim();
  execFileSync("git", ["config", "core.fsmonitor", evil], { cwd: dir });
  spawnSync("git", ["status"], { cwd: dir });
  expect(existsSync(ran)).toBe(true);
});

describe.concurrent("an agent's file is not run outside of the sandbox", () => {
  test.each(Object.entries(attempts))("[H31] %s", async (_name, steps) => {
    const prey = victim();
    for (const [kind, what, content = ""] of steps) {
      if (kind === "write")
        await tryToUse(prey.dir, "write_file", { path: what, content: typeof content === "string" ? content : content(prey) });
      else await tryToUse(prey.dir, "run_command", { command: what, timeoutMs: 15_000 });
    }
    expect(existsSync(prey.ran)).toBe(false);
    await live(prey);
    expect(existsSync(prey.ran)).toBe(false);
  });
});
