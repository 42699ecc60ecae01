import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { McpConfig } from "@colloquy/schema";
import { expect, test } from "vitest";
import { launchOf } from "./launch.ts";
import { protectedCode } from "./server-code.ts";

const FILES = [
  "data",
  "register.js",
  "settings",
  "start",
  "app.txt",
  "server.md",
  "server/index.js",
  "dist/main",
  "dist/late.js",
  "a b.mjs",
];

function project(): string {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-code-"));
  for (const path of FILES) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), "x");
  }
  return dir;
}

const server = (given: object) => McpConfig.parse({ servers: { shop: { startTimeout: "1s", ...given } } }).servers["shop"] as never;

test.each([
  ["node", "app.txt", "app.txt"],
  ["node", "--no-warnings server.md", "server.md"],
  ["node", "--import=./data /opt/x.js", "data"],
  ["node", "--require=./register /opt/x.js", "register.js"],
  ["node", "-r./register /opt/x.js", "register.js"],
  ["node", "-r ./register --import ./data dist/main", "register.js data dist/main"],
  ["node", "-C development dist/late", "dist/late.js"],
  ["node", "--stack-size 900 dist/main data", "dist/main"],
  ["node", "--no-warnings register.js data", "register.js"],
  ["python3", "-X dev data", "data"],
  ["env", "-C server node index.js", "index.js server/index.js"],
])("[MC21] %s %s: %s is protected", (command, args, code) => {
  expect(protectedCode([server({ command, args: args.split(" ") })], project(), {})).toEqual(code.split(" "));
});

test.each([
  ["cd server && node index.js", "server/index.js"],
  ["cd dist; exec ./main", "dist/main"],
])("[MC21] a command line that enters a folder runs that folder's files: %s", (line, code) => {
  expect(protectedCode([server({ command: "bash", args: ["-c", line] })], project(), {})).toContain(code);
});

test("[MC21] a module's address is decoded", () => {
  const dir = project();
  const args = [`--import=file://${dir}/a%20b.mjs`, `--import=file://${dir}/data`, "/opt/x.js"];
  expect(protectedCode([server({ command: "node", args })], dir, {})).toEqual(expect.arrayContaining(["a b.mjs", "data"]));
});

test.each([
  ["OPENSSL_CONF", "./settings"],
  ["GIT_CONFIG_GLOBAL", "settings"],
  ["GIT_SSH_COMMAND", "./start -q"],
  ["JDK_JAVA_OPTIONS", "-javaagent:./data"],
  ["PYTHONPYCACHEPREFIX", "./server"],
  ["EDITOR", "./start"],
])("[MC23] a server is not started with %s=%s, which leads into the project", (name, value) => {
  const config = server({ command: "node", args: ["/opt/x.js"], env: { [name]: value } });
  expect(() => launchOf("shop", config, project(), { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/root" })).toThrow(
    `mcp.servers.shop.env.${name} leads to`,
  );
});
