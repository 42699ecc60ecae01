import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { OpenCall } from "@colloquy/runtime";
import { McpConfig } from "@colloquy/schema";
import { expect, onTestFinished, test } from "vitest";
import { McpServers } from "./servers.ts";

const fixture = fileURLToPath(new URL("../test/fixtures/small-server.mjs", import.meta.url));
const config = (mode: string) =>
  McpConfig.parse({ servers: { small: { command: process.execPath, args: [fixture, mode], startTimeout: "5s" } } }).servers;

const context: OpenCall = {
  callId: "0".repeat(32),
  signal: new AbortController().signal,
  dialog: { rootId: "", selfId: "" },
  agent: "lead",
  dir: ".",
  resume: undefined,
  log: () => undefined,
  ask: async () => ({ action: "cancel" }),
  blob: async (name) => name,
};

/** Servers, and a clock that only moves when advanced. */
function servers(mode: string) {
  const clock = { now: 0 };
  const dir = mkdtempSync(join(tmpdir(), "colloquy-mcp-"));
  const all = new McpServers({ dir, now: () => clock.now });
  onTestFinished(() => all.close());
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  all.update(config(mode), { PATH: process.env["PATH"] });
  const { tools, prepare } = { tools: () => all.chosen(["small"]).tools, prepare: () => all.chosen(["small"]).prepare() };
  const look = async () => tools().get("small__look")?.run({}, context);
  return { all, clock, prepare, look };
}

test("[MC9] a server that keeps dying is restarted at once, then after growing pauses", async () => {
  const { all, clock, prepare, look } = servers("dies");
  await prepare();
  await expect(look()).rejects.toThrow("went away during the call");
  expect(all.status()).toMatchObject([{ state: "down" }]);
  await expect(look()).rejects.toThrow("went away during the call");
  await expect(look()).rejects.toThrow("Next attempt in 5 s.");
  clock.now += 5_000;
  await expect(look()).rejects.toThrow("went away during the call");
  await expect(look()).rejects.toThrow("Next attempt in 10 s.");
});

test("[MC8] a server that never started is awaited once, and retried in the background after a pause", async () => {
  const { all, clock, prepare } = servers("quits");
  await prepare();
  expect(all.status()).toMatchObject([{ state: "down", tools: [] }]);
  await prepare();
  expect(all.status()).toMatchObject([{ state: "down" }]);
  clock.now += 5_000;
  await prepare();
  expect(all.status()).toMatchObject([{ state: "starting" }]);
});
