// Attempts by the file tools to reach hidden or outside files. Each must see nothing and change nothing.
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { hostileProject, SECRET, tryToUse } from "../testing.ts";

type Attempt = readonly [tool: string, input: (around: string, dir: string) => object];
const read = (path: string): Attempt => ["read_file", () => ({ path })];
const write = (path: string): Attempt => ["write_file", () => ({ path, content: "pwned" })];
const edit = (path: string): Attempt => ["edit_file", () => ({ path, old: SECRET, new: "pwned", all: true })];
const list = (path: string): Attempt => ["list_dir", () => ({ path })];
const search = (path: string, more: object = {}): Attempt => ["search_files", () => ({ pattern: SECRET, path, ...more })];

const attempts: readonly Attempt[] = [
  // Outside, by name
  ...[
    "../secret.txt",
    "src/../../secret.txt",
    "./././../secret.txt",
    "up/secret.txt",
    "link-out.txt",
    "up/up/../secret.txt",
    "/etc/passwd/../../etc/shadow",
  ].map(read),
  ["read_file", (around) => ({ path: join(around, "secret.txt") })],
  ["read_file", (around, dir) => ({ path: `${dir}/../secret.txt` })],
  ["read_file", (around, dir) => ({ path: `../${basename(dir)}/../secret.txt` })],
  ["read_file", (around) => ({ path: `file://${around}/secret.txt` })],
  ["read_file", (around) => ({ path: `/proc/self/root${around}/secret.txt` })],
  ["read_file", (_around, dir) => ({ path: `/proc/self/root${dir}/.env` })],
  ["read_file", (_around, dir) => ({ path: `/proc/${process.pid}/root${dir}/.env` })],
  ["read_file", (_around, dir) => ({ path: `${dir}/.env` })],
  ...[
    "/proc/self/environ",
    "here/.env",
    "/proc/self/cwd/.env",
    "/dev/fd/0",
    "secret.txt\0.txt",
    "src/a.txt/../../../secret.txt",
    "~/secret.txt",
    "src/hard-out.txt",
  ].map(read),
  ...[
    "../secret.txt",
    "up/secret.txt",
    "link-out.txt",
    "up/new.txt",
    "dangling",
    "dangling/x",
    "../new.txt",
    "/tmp/../etc/colloquy-test",
    "here/x",
    "up/shop/.env",
  ].map(write),
  ...["../secret.txt", "link-out.txt", "up/secret.txt", "src/hard-out.txt", "up/other/colloquy.yaml"].map(edit),
  ...["..", "up", "up/home", "/", "up/up", "src/../..", "here/.."].map(list),
  ...["..", "up", "/", "link-out.txt", "up/home/.ssh", "src/hard-out.txt"].map((path) => search(path)),

  // Hidden
  ...[".env", "./.env", "src/../.env", "src/settings", ".env.local", "apps/web/.env.production", ".ENV", ".env.", ".env ", "\uFF0Eenv"].map(
    read,
  ),
  ...[
    "certs/server.pem",
    "certs/server.key",
    "deploy/id_ed25519",
    "deploy/.ssh/known",
    "apps/.npmrc",
    ".netrc",
    "src/hard-env.txt",
    "src/hard-goals.txt",
  ].map(read),
  ...[
    `tasks/orders.tsk/${SECRET}-goals.md`,
    `src/orders/${SECRET}-goals.md`,
    `docs/deep/plan.tsk/${SECRET}.md`,
    `memory/team/${SECRET}.md`,
    `MEMORY/team/${SECRET}.md`,
  ].map(read),
  ...[
    `diary/run/${SECRET}-tree/course-001.jsonl`,
    `.dialogs/run/${SECRET}-tree/course-001.jsonl`,
    `up/shop/.dialogs/run/${SECRET}-tree/course-001.jsonl`,
  ].map(read),
  ...[
    ".env",
    ".env.new",
    "src/settings",
    "tasks/new.tsk/goals.md",
    "src/orders/new.md",
    "diary/new",
    ".dialogs/new",
    "memory/team/new.md",
    "new.pem",
    ".ssh/authorized_keys",
    "MEMORY/x",
  ].map(write),
  ...["src/hard-env.txt", "src/hard-goals.txt"].map(write),
  ...[".env", "src/settings", "certs/server.pem", "src/hard-env.txt", `src/orders/${SECRET}-goals.md`, "deploy/id_ed25519"].map(edit),
  ...[
    ".",
    "src",
    ".dialogs",
    "diary",
    "tasks",
    "tasks/orders.tsk",
    "src/orders",
    "memory",
    "memory/team",
    "deploy",
    "deploy/.ssh",
    "certs",
    "docs/deep",
    "apps",
  ].map(list),
  ...[".", "src", ".env", "diary", "tasks", "src/orders", "memory", "certs", "src/hard-env.txt", "src/settings"].map((path) =>
    search(path),
  ),
  search(".", { glob: ".env*" }),
  search(".", { glob: "**/*.pem" }),
  search(".", { glob: "../**" }),
  search(".", { glob: "!nothing" }),
  ["search_files", () => ({ pattern: "", glob: ".env*" })],
  ["search_files", () => ({ pattern: "", glob: "*.tsk/**" })],

  // Protected
  ...[
    "colloquy.yaml",
    "Colloquy.yaml",
    "agents/lead.md",
    "agents/evil.md",
    "agents",
    "AGENTS/evil.md",
    ".git/config",
    ".git/hooks/pre-commit",
    ".git/hooks/post-checkout",
    "src/../.git/config",
  ].map(write),
  ...[
    "vendor/lib/.git/config",
    "vendor/lib/.git/hooks/post-merge",
    ".git/modules/x/config",
    ".git/config.worktree",
    "up/shop/colloquy.yaml",
    "src/../agents/../colloquy.yaml",
  ].map(write),
  ["edit_file", () => ({ path: "colloquy.yaml", old: "#", new: "pwned" })],
  ["edit_file", () => ({ path: ".git/config", old: "bare = false", new: "fsmonitor = pwned" })],
];

test("[B2] there are enough attempts", () => {
  expect(attempts.length).toBeGreaterThan(100);
});

// Over a hundred attempts in one test: slow on a busy machine.
test("[B1] [B2] [B3] none of them reaches anything", async () => {
  const { around, dir, state } = hostileProject();
  const before = state();
  for (const [tool, input] of attempts) {
    const given = input(around, dir);
    // A path that the attempt itself names is no leak.
    const { text } = await tryToUse(dir, tool, given);
    const news = text.replaceAll(JSON.stringify(given).slice(1, -1), "").replaceAll(String("path" in given ? given.path : ""), "");
    expect.soft([tool, given, news.includes(SECRET) || news.includes("root:x:")]).toEqual([tool, given, false]);
    expect.soft([tool, given, state()], `${tool} ${JSON.stringify(given)}`).toEqual([tool, given, before]);
  }
});
