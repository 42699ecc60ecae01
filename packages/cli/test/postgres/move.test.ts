import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newDatabase } from "../../../store-postgres/test/database.ts";
import { colloquy, ended, project, start } from "../support.ts";

const store = async () => `${(await newDatabase()).url}?project=shop`;

/** Every line of every log in a folder, by file. */
function logs(dialogs: string): Record<string, readonly string[]> {
  const files = readdirSync(dialogs, { recursive: true, encoding: "utf8" }).filter((name) => /(?:course-\d+|project)\.jsonl$/.test(name));
  return Object.fromEntries(files.sort().map((name) => [name, readFileSync(join(dialogs, name), "utf8").split("\n")]));
}

test("[PG18] a project moved to a database and back has the same logs, and continues in both places", async () => {
  const dir = project();
  const url = await store();
  await colloquy(dir, "new", "--wait", "Hello");
  await colloquy(dir, "new", "--wait", "Second");
  await colloquy(dir, "clear-mind", "@");
  await colloquy(dir, "send", "--wait", "@", "After it");
  await colloquy(dir, "tasks", "add", "Fix the date");
  await colloquy(dir, "fork", "@");
  await colloquy(dir, "send", "@", "In the fork");
  const before = logs(join(dir, ".dialogs"));
  expect(Object.keys(before).length).toBeGreaterThanOrEqual(3);

  const moved = JSON.parse((await colloquy(dir, "move", "--to", url, "--json")).stdout) as { trees: number; aside: string };
  expect(moved).toMatchObject({ trees: 3 });
  expect(logs(moved.aside)).toEqual(before);
  expect(existsSync(join(dir, ".dialogs/run"))).toBe(false);
  expect((await colloquy(dir, "ls")).stderr).toContain("is kept in");

  const back = await colloquy(dir, "--store", url, "move", "--to", "file:.");
  expect(back).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Moved 3 dialogs in \d+ commits\. The database keeps its copy\.\n$/),
  });
  const ours = Object.fromEntries(Object.entries(logs(join(dir, ".dialogs"))).filter(([name]) => !name.startsWith("moved-")));
  expect(ours).toEqual(before);
  await colloquy(dir, "resume", "@");
  expect((await colloquy(dir, "send", "--wait", "@", "Again")).stdout).toBe("I heard: Again\n");
});

test("[PG18] [CA17] a project with deleted dialogs is moved, and one that came back from a file as well", async () => {
  const dir = project();
  const url = await store();
  await colloquy(dir, "new", "--wait", "Hello");
  await colloquy(dir, "export", "@", "hello.colloquy");
  const [id = ""] = (await colloquy(dir, "ls")).stdout.split("\t");
  await colloquy(dir, "new", "--wait", "Second");
  await colloquy(dir, "delete", "@", "--yes");
  await colloquy(dir, "delete", id, "--yes");
  await colloquy(dir, "import", "hello.colloquy");
  await colloquy(dir, "new", "--wait", "Third");
  expect(await colloquy(dir, "move", "--to", url)).toMatchObject({ code: 0, stderr: "" });
  const shown = async (...store: string[]) => (await colloquy(dir, ...store, "ls")).stdout.trimEnd().split("\n");
  expect(await shown("--store", url)).toHaveLength(2);
  expect((await colloquy(dir, "--store", url, "show", id)).stdout).toContain("I heard: Hello");
  // Deleted in the database as well, and moved back.
  await colloquy(dir, "--store", url, "delete", id, "--yes");
  expect(await colloquy(dir, "--store", url, "move", "--to", "file:.")).toMatchObject({ code: 0 });
  expect(await shown()).toHaveLength(1);
  expect((await colloquy(dir, "show", id)).code).toBe(3);
});

test("[PG40] the documents of a moved project are in the database, and in the folder to which it is moved back", async () => {
  const dir = project(undefined, { "memory/team/rules.md": "Never on Sundays.", "prd/search.md": "Fast." });
  const url = await store();
  await colloquy(dir, "new", "--wait", "--task", "plans/shop.tsk", "Hello");
  await colloquy(dir, "change-mind", "@", "goals", "Open on Monday.");
  await colloquy(dir, "move", "--to", url);
  for (const folder of ["memory", "prd", "plans"]) rmSync(join(dir, folder), { recursive: true });
  const elsewhere = project();
  expect((await colloquy(elsewhere, "--store", url, "change-mind", "Hello")).stdout).toContain("Open on Monday.");
  expect((await colloquy(dir, "--store", url, "move", "--to", "file:.")).code).toBe(0);
  const files = ["memory/team/rules.md", "prd/search.md", "plans/shop.tsk/goals.md"];
  expect(files.map((file) => readFileSync(join(dir, file), "utf8"))).toEqual(["Never on Sundays.", "Fast.", "Open on Monday."]);
});

test("[PG19] a project in use, or with a name that is taken, is not moved", async () => {
  const dir = project();
  const url = await store();
  await colloquy(dir, "new", "--wait", "Hello");
  const server = start(dir, ["serve", "--port", "0"]);
  await server.says("Serving at");
  expect(await colloquy(dir, "move", "--to", url)).toMatchObject({ code: 1, stderr: expect.stringContaining("has had this project open") });
  server.kill("SIGINT");
  await server.ended;
  await ended(project(), ["--store", url, "new", "--wait", "Other"]);
  expect(await colloquy(dir, "move", "--to", url)).toMatchObject({ code: 1, stderr: expect.stringContaining("Choose another one") });
  expect((await colloquy(dir, "ls")).stdout).toContain("Hello");
});

test("[PG19] a project with an unfinished dialog is not moved", async () => {
  const dir = project("rules: [{ do: [{ wait: 60s }, { say: late }] }]\n");
  const working = start(dir, ["new", "--wait", "Hello"]);
  await expect.poll(() => existsSync(join(dir, ".dialogs/run")) && readdirSync(join(dir, ".dialogs/run")).length).toBe(1);
  working.kill("SIGKILL");
  await working.ended;
  expect(await colloquy(dir, "move", "--to", await store())).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Something is running: \w{6}\. Let it finish, or stop it first: colloquy stop \w{6}\n$/),
  });
});

test.each([[["move"]], [["move", "--to", "file:."]], [["move", "--to", "nonsense"]]])("[PG18] %j says where to", async (args) => {
  expect(await colloquy(project(), ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining("postgres://") });
});
