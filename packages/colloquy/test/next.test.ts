import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cpSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { packed, root } from "./packed-folder.ts";

const execute = promisify(execFile);
const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", NEXT_TELEMETRY_DISABLED: "1" };

async function installed(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-next-"));
  // A third of a gigabyte in thousands of files.
  onTestFinished(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }), 120_000);
  cpSync(join(root, "examples/04-next"), dir, { recursive: true });
  const quietly = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  // npm as configured on this machine: registry, certificates, cache.
  await execute("npm", ["install", packed(), ...quietly], { cwd: dir });
  return dir;
}

const next = (dir: string) => createRequire(join(dir, "package.json")).resolve("next/dist/bin/next");

async function started(dir: string, port: number): Promise<{ readonly url: string; readonly kill: () => Promise<void> }> {
  const server: ChildProcess = spawn(process.execPath, [next(dir), "start", "-H", "127.0.0.1", "-p", String(port)], {
    cwd: dir,
    env,
    stdio: "pipe",
  });
  const ended = new Promise<void>((over) => server.once("exit", () => over()));
  const kill = () => (server.kill("SIGKILL"), ended);
  onTestFinished(kill);
  let said = "";
  const url = await new Promise<string>((ready, fail) => {
    const hear = (data: Buffer) => {
      said += data.toString();
      const address = /Local: +(http:\S+)/.exec(said)?.[1];
      if (address !== undefined && said.includes("Ready")) ready(address);
    };
    server.stdout?.on("data", hear);
    server.stderr?.on("data", hear);
    void ended.then(() => fail(new Error(`next start ended:\n${said}`)));
  });
  return { url, kill };
}

test(
  "[LB20] a built Next.js page gives work, is asked, loses its server, answers, and reads the result",
  { timeout: 600_000 },
  async () => {
    const dir = await installed();
    const { stdout } = await execute(process.execPath, [next(dir), "build"], { cwd: dir, env });
    expect(stdout).toContain("/api/colloquy/[...path]");
    const first = await started(dir, 0);
    const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));

    expect(await (await fetch(first.url)).text()).toContain("Paint shop"); // rendered on the server, too
    await page.goto(first.url);
    await page.getByRole("button", { name: "Paint the door" }).click();
    await page.getByRole("group", { name: "Which colour?" }).waitFor();
    await first.kill();
    await started(dir, Number(new URL(first.url).port));
    await page.getByRole("group", { name: "Which colour?" }).getByRole("button", { name: "blue" }).click();
    await page.getByText("It will be blue.").waitFor();
    await page.getByRole("group").waitFor({ state: "detached" });
    expect(errors).toEqual([]);
  },
);
