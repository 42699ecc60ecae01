import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { projectFolder, startVictim } from "./folder.ts";

const run = promisify(execFile);
const path = (name: string) => fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));

test("[SV9] the examples over HTTP and the WebSocket do what they say", async () => {
  const { url, token } = await startVictim(projectFolder());
  const env = { ...process.env, URL: url, TOKEN: token, PROJECT: "shop" };
  const curl = await run("sh", [path("07-curl-only/answer.sh"), "please decide"], { env });
  expect(curl.stdout).toMatch(/^dialog [0-9a-f]{32}\n"headline":"Which one\?"\nSo be it\.\n$/);
  const node = await run(process.execPath, [path("08-node-client/client.ts"), "please decide"], { env });
  expect(node.stdout).toBe("? Which one? → A\nlead: So be it.\n");
}, 60_000);
