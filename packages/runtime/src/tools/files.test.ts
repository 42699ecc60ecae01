import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toolGroups } from "./files.ts";

const dir = mkdtempSync(join(tmpdir(), "colloquy-files-"));
mkdirSync(join(dir, "shop/src"), { recursive: true });
mkdirSync(join(dir, "shop/.dialogs/run"), { recursive: true });
mkdirSync(join(dir, "shop/tasks/a.tsk"), { recursive: true });
mkdirSync(join(dir, "shop/agents"));
mkdirSync(join(dir, "shop/.git/hooks"), { recursive: true });
writeFileSync(join(dir, "secret.txt"), "outside");
writeFileSync(join(dir, "shop/src/a.txt"), "one\ntwo\nthree");
writeFileSync(join(dir, "shop/.env"), "KEY=1");
writeFileSync(join(dir, "shop/.env.local"), "KEY=1");
writeFileSync(join(dir, "shop/.dialogs/run/x"), "log");
writeFileSync(join(dir, "shop/tasks/a.tsk/goals.md"), "goals");
writeFileSync(join(dir, "shop/colloquy.yaml"), "agents: {}");
writeFileSync(join(dir, "shop/binary"), Buffer.from([1, 0, 2]));
symlinkSync("../secret.txt", join(dir, "shop/link.txt"));
symlinkSync("..", join(dir, "shop/up"));
symlinkSync(".dialogs", join(dir, "shop/harmless"));
symlinkSync("../not-there-yet", join(dir, "shop/dangling"));
const shop = join(dir, "shop");

const use = (name: string, input: object) => {
  const tool = toolGroups["files"]?.find((one) => one.offer.name === name);
  if (!tool) throw new Error(name);
  const context = { callId: "0".repeat(32), signal: new AbortController().signal, dialog: { rootId: "", selfId: "" }, agent: "", dir: shop };
  return (async () => {
    const parsed = await tool.parse(input);
    if (!parsed.ok) throw new Error(parsed.problems);
    return tool.run(parsed.value, context);
  })();
};

const outside = ["../secret.txt", join(dir, "secret.txt"), "link.txt", "up/secret.txt", "src/../../secret.txt", "/etc/passwd"];
test.each(outside)("[B1] %s is not read", async (path) => {
  await expect(use("read_file", { path })).rejects.toThrow(/outside of the project/);
});
test.each([...outside, "up/new.txt", "dangling"])("[B1] %s is not written", async (path) => {
  await expect(use("write_file", { path, content: "x" })).rejects.toThrow(/outside of the project|leads nowhere/);
});

const hidden = [".env", ".env.local", ".dialogs/run/x", "harmless/run/x", "tasks/a.tsk/goals.md", "./src/../.env"];
test.each(hidden)("[B2] %s is not read", async (path) => {
  await expect(use("read_file", { path })).rejects.toThrow(/not open to tools/);
});
test.each([...hidden, ".env.new", "tasks/b.tsk/goals.md", ".dialogs/new"])("[B2] %s is not written", async (path) => {
  await expect(use("write_file", { path, content: "x" })).rejects.toThrow(/not open to tools/);
});
test("[B2] a listing leaves it out", async () => {
  expect(await use("list_dir", {})).toBe([".git/", "agents/", "binary", "colloquy.yaml", "dangling", "harmless", "link.txt", "src/", "tasks/", "up"].join("\n"));
  await expect(use("list_dir", { path: ".dialogs" })).rejects.toThrow(/not open to tools/);
});

test.each(["colloquy.yaml", "agents/new.md", ".git/hooks/pre-commit", ".git/config"])("[B3] %s is not written", async (path) => {
  await expect(use("write_file", { path, content: "x" })).rejects.toThrow(/may be read but not written/);
});
test("[B3] and can be read", async () => {
  expect(await use("read_file", { path: "colloquy.yaml" })).toBe("agents: {}");
});

test("[B4] lines by number, and how to get the rest", async () => {
  expect(await use("read_file", { path: "src/a.txt", from: 2 })).toBe("two\nthree");
  expect(await use("read_file", { path: "src/a.txt", to: 1 })).toBe("one\n… lines 1 to 1 of 3; ask with from: 2 for more.");
  await expect(use("read_file", { path: "binary" })).rejects.toThrow(/not a text file/);
  await expect(use("read_file", { path: "nope" })).rejects.toThrow('There is no "nope" in the project.');
});
test("[B4] a file is written whole, with its folders", async () => {
  expect(await use("write_file", { path: "src/deep/b.txt", content: "héllo" })).toBe("Wrote 6 bytes to src/deep/b.txt.");
  expect(readFileSync(join(shop, "src/deep/b.txt"), "utf8")).toBe("héllo");
});
