#!/usr/bin/env node
// Old syntax on purpose: a Node too old for Colloquy must get as far as the sentence that says so.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const fromRoot = (path) => fileURLToPath(new URL("../../../" + path, import.meta.url));
const [major, minor] = process.versions.node.split(".").map(Number);
const carried = fromRoot("node_modules/node/bin/" + (process.platform === "win32" ? "node.exe" : "node"));

if (major > 22 || (major === 22 && minor >= 13)) run();
else if (existsSync(carried)) runOn(carried);
else
  fail(
    `Colloquy needs Node ${major === 22 ? "22.13" : "22"} or later; this is ${major}.${minor}. Install it (https://nodejs.org) or run npm start inside a clone, which brings its own.`,
  );

function run() {
  if (!existsSync(fromRoot("dist/cli.js"))) return fail("Not built yet. Run: npm run build");
  if (module.enableCompileCache) module.enableCompileCache();
  silenceExperimentalWarnings();
  void import("../../../dist/cli.js");
}

function runOn(node) {
  const child = spawn(node, process.argv.slice(1), { stdio: "inherit" });
  // Ctrl-C in a terminal reaches the child by itself; a second one would look like impatience.
  process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  process.on("SIGHUP", () => child.kill("SIGHUP"));
  child.on("exit", (code, signal) => process.exit(code === null ? 128 + constants.signals[signal] : code));
}

function silenceExperimentalWarnings() {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (warning, ...rest) => {
    const type = rest[0] && typeof rest[0] === "object" ? rest[0].type : rest[0];
    if (type !== "ExperimentalWarning") emitWarning(warning, ...rest);
  };
}

function fail(sentence) {
  console.error(sentence);
  process.exitCode = 1;
}
