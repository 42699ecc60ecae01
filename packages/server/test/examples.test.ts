import { execFile, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { page } from "../../testing/src/documentation.ts";
import { projectFolder, startVictim } from "./folder.ts";

const run = promisify(execFile);
const path = (name: string) => fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));

test("[SV9] the examples for HTTP and the WebSocket work as described", async () => {
  const { url, token } = await startVictim(projectFolder());
  const env = { ...process.env, URL: url, TOKEN: token, PROJECT: "shop" };
  const curl = await run("sh", [path("07-curl-only/answer.sh"), "please decide"], { env });
  expect(curl.stdout).toMatch(/^dialog [0-9a-f]{32}\n"headline":"Which one\?"\nSo be it\.\n$/);
  const node = await run(process.execPath, [path("08-node-client/client.ts"), "please decide"], { env });
  expect(node.stdout).toBe("? Which one? → A\nlead: So be it.\n");
});

test("[SV9] the commands on the API's page work as written", async () => {
  const { url, token } = await startVictim(projectFolder());
  const [block] = page("docs/API.md").blocks;
  const [projects = "", create = "", questions = "", answer = "", stream = ""] = block?.text.trim().split("\n") ?? [];
  const env = { ...process.env, URL: url, TOKEN: token };
  const sh = async (line: string, more: NodeJS.ProcessEnv = {}) =>
    JSON.parse((await run("sh", ["-c", line], { env: { ...env, ...more } })).stdout) as never;
  expect(await sh(projects)).toMatchObject([{ id: "shop" }]);
  const { rootId: D } = (await sh(create)) as { rootId: string };
  await sh(create.replace("Fix the date", "please decide").replace('"1"', '"0"'));
  const asked = async () => ((await sh(questions)) as { questions: { id: string }[] }).questions;
  await expect.poll(asked).toHaveLength(1);
  const [{ id: Q }] = (await asked()) as [{ id: string }];
  expect(await sh(answer, { Q })).toEqual({ seq: expect.any(Number) });
  const watching = spawn("sh", ["-c", `exec ${stream}`], { env: { ...env, D }, stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void watching.kill());
  let told = "";
  watching.stdout.on("data", (data: Buffer) => (told += data.toString()));
  await expect.poll(() => told).toMatch(/^id: 2$/m);
});
