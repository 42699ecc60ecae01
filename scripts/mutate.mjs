// `npm run mutate [-- words of a name]`: breaks Colloquy on purpose, one line at a time, and checks that the tests notice. A surviving
// mutation is a promise that no test keeps. Each file is restored, also on interruption.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { astray, mutations } from "./mutations.mjs";
import { onSupportedNode, root } from "./set-up.mjs";

await onSupportedNode(import.meta.url);

/** @type {(() => void) | undefined} */
let putBack;
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));
process.on("exit", () => putBack?.());

/** @type {(() => void) | undefined} */
let endRun;
process.on("exit", () => endRun?.());

const MAX_TEST_MS = 300_000;
const ALL_TESTS_MS = 3_600_000;

/**
 * Broken code often waits for ever, so there is a timeout within which unbroken code passes. An endless loop ignores signals: it is
 * killed from outside, with its children.
 * @param {readonly string[]} tests
 * @param {number} maxMs
 * @returns {Promise<boolean>}
 */
function pass(tests, maxMs) {
  const args = ["node_modules/vitest/vitest.mjs", "run", "--bail=1", "--testTimeout=30000", ...tests];
  const run = spawn(process.execPath, args, { cwd: root, stdio: "ignore", detached: true });
  endRun = () => run.pid !== undefined && process.kill(-run.pid, "SIGKILL");
  const timer = setTimeout(endRun, maxMs);
  return new Promise((resolve) =>
    run.on("exit", (code) => {
      clearTimeout(timer);
      endRun = undefined;
      resolve(code === 0);
    }),
  );
}

/** @param {import("./mutations.mjs").Mutation} mutation */
async function isCaught({ file, from, to, tests }) {
  const path = join(root, file);
  const text = readFileSync(path, "utf8");
  putBack = () => writeFileSync(path, text);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  try {
    return !(await pass(tests, MAX_TEST_MS));
  } finally {
    putBack();
    putBack = undefined;
  }
}

const words = process.argv.slice(2).join(" ");
const chosen = mutations.filter(({ name }) => name.includes(words));
const survivors = [];
const [lost] = astray();
if (lost !== undefined) throw new Error(lost);
// A test that fails anyway would catch anything.
if (!(await pass([...new Set(chosen.flatMap(({ tests }) => tests))], ALL_TESTS_MS)))
  throw new Error("The tests do not pass as it is: run npm test first.");
for (const mutation of chosen) {
  const began = Date.now();
  const caught = await isCaught(mutation);
  if (!caught) survivors.push(mutation.name);
  console.log(`${caught ? "caught  " : "SURVIVED"} ${mutation.name} (${((Date.now() - began) / 1000).toFixed(0)} s)`);
}
console.log(`${chosen.length - survivors.length} of ${chosen.length} caught.`);
if (survivors.length > 0) process.exitCode = 1;
