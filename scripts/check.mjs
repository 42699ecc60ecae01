// `npm run check`: all checks that don't run the code.
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { delimiter, join } from "node:path";
import { onSupportedNode, root } from "./set-up.mjs";

await onSupportedNode(import.meta.url);

/** @type {[name: string, command: string][]} */
const checks = [
  ["types", "tsc"],
  ["web types", "tsc -p packages/web"],
  ["lint", "oxlint --deny-warnings"],
  ["unused code", "knip --no-progress --no-config-hints"],
  ["format", "oxfmt --check"],
  ["direction", "node scripts/check/direction.mjs"],
  ["exports", "node scripts/check/exports.mjs"],
  ["folders", "node scripts/check/folders.mjs"],
  ["components", "node scripts/check/components.mjs"],
  ["rules", "node scripts/check/rules.mjs"],
  ["links", "node scripts/check/links.mjs"],
  ["translations", "node scripts/check/translations.mjs"],
  ["reading path", "node scripts/check/reading-path.mjs"],
  ["diagram", "node scripts/diagram.mjs --check"],
  ["reference", "node scripts/reference.ts --check"],
  ["mutations", "node scripts/check/mutations.mjs"],
  ["lock file", "node scripts/check/lock.mjs"],
  ["package", "node scripts/check/package.mjs"],
];
const env = { ...process.env, PATH: join(root, "node_modules/.bin") + delimiter + process.env.PATH };

/**
 * @param {string} name
 * @param {string} command
 * @returns {Promise<boolean>}
 */
function run(name, command) {
  const began = Date.now();
  return new Promise((resolve) => {
    const child = spawn(command, { cwd: root, env, shell: true, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("close", (code) => {
      console.log(`${code === 0 ? "ok    " : "FAILED"} ${name.padEnd(12)} ${((Date.now() - began) / 1000).toFixed(1)} s`);
      if (code === 0 && (name === "package" || name === "translations")) console.log(output.trim().replace(/^/gm, "       "));
      if (code !== 0) console.log(`${output.trimEnd().replace(/^/gm, "       ")}\n       (${command})`);
      resolve(code === 0);
    });
  });
}

let passed = true;
const waiting = [...checks];
const worker = async () => {
  for (let next = waiting.shift(); next; next = waiting.shift()) passed = (await run(...next)) && passed;
};
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, worker));
process.exitCode = passed ? 0 : 1;
