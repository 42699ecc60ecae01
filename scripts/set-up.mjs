// Prepares a clone: installs packages and Node 24, builds the sources. Silent if there is nothing to do. Plain JavaScript without
// packages, because on a fresh clone it runs on the machine's own Node, from 20 on.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, realpathSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** The Node from the npm package `node`. */
const node = join(root, "node_modules/node/bin", process.platform === "win32" ? "node.exe" : "node");

/** Installs and builds what is missing or out of date. */
export async function setUp() {
  const install = !isInstalled();
  const build = !isBuilt();
  const steps = Number(install) + Number(build);
  if (install) await installPackages(`[1/${steps}] `);
  if (build) await progress(`[${steps}/${steps}] Building`, "The build failed.", node, ["scripts/build.mjs"]);
}

/**
 * Installs what is missing and continues under Node 24: an older process restarts the script on the Node just installed.
 * @param {string} script the `import.meta.url` of the caller
 */
export async function onSupportedNode(script) {
  if (!isInstalled()) await installPackages("");
  if (isSupported(process.versions.node)) return;
  process.exit(await runNode([fileURLToPath(script), ...process.argv.slice(2)]));
}

/**
 * Runs Node 24 in this terminal; returns its exit code.
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
export function runNode(args) {
  const child = spawn(node, args, { cwd: root, stdio: "inherit" });
  // The terminal already sends Ctrl-C to the child; a second one would look like impatience.
  process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  return new Promise((resolve) => {
    child.on("error", (error) => fail(`Could not start ${node}: ${error.message}`));
    child.on("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}

/** A hash of the build's inputs: equal hashes, equal builds. */
export function sourceHash() {
  const packages = readdirSync(join(root, "packages")).map((name) => join("packages", name));
  const sources = packages.flatMap((folder) => [join(folder, "package.json"), ...filesUnder(join(folder, "src"))]);
  const page = ["packages/web/index.html", "packages/web/vite.config.ts", ...filesUnder("packages/web/public")];
  const hash = createHash("sha256");
  for (const file of ["package-lock.json", "package.json", "scripts/build.mjs", "tsconfig.json", ...page, ...sources]) {
    if (!file.endsWith(".test.ts")) hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}

/**
 * Prints what is missing in one sentence and exits.
 * @param {string} sentence
 * @returns {never}
 */
export function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

/** @param {string} title */
async function installPackages(title) {
  const first = existsSync(join(root, "node_modules")) ? "they changed" : "first time only";
  const failure = "The packages could not be installed; npm says why above. The npm registry must be reachable for this.";
  await progress(`${title}Installing packages (${first}; about a minute)`, failure, ...npm("ci", "--include=dev"));
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout ?? "";
  if (!isSupported(version.replace("v", ""))) {
    fail("Node 24 is missing from node_modules: npm was told to run no install scripts. Run: npm rebuild node --ignore-scripts=false");
  }
}

// npm's record of installed packages has the same entries as the lock file, except optional ones of other platforms.
function isInstalled() {
  if (!existsSync(node)) return false;
  try {
    const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
    const installed = JSON.parse(readFileSync(join(root, "node_modules/.package-lock.json"), "utf8")).packages;
    return Object.keys(wanted).every((path) =>
      path in installed ? JSON.stringify(wanted[path]) === JSON.stringify(installed[path]) : path === "" || wanted[path].optional,
    );
  } catch {
    return false; // No record: never installed, or interrupted.
  }
}

export function isBuilt() {
  const stamp = join(root, "dist/.stamp");
  return existsSync(stamp) && readFileSync(stamp, "utf8") === sourceHash();
}

/**
 * The npm that started us, under its own Node: the Node in node_modules must not run while npm replaces it.
 * @param {string[]} args
 * @returns {[string, string[]]}
 */
function npm(...args) {
  const { npm_execpath: script, npm_node_execpath: runner } = process.env;
  if (script && runner && !runner.startsWith(root)) return [runner, [script, ...args]];
  return ["npm", args];
}

/**
 * Shows a title and the seconds it takes; the command's output only on failure.
 * @param {string} title
 * @param {string} failure
 * @param {string} command
 * @param {readonly string[]} args
 */
async function progress(title, failure, command, args) {
  const began = Date.now();
  const seconds = () => `${Math.round((Date.now() - began) / 1000)} s`;
  process.stderr.write(`${title} … `);
  const ticking = process.stderr.isTTY && setInterval(() => process.stderr.write(`\r${title} … ${seconds()}`), 1000);
  const child = spawn(command, args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32" && command === "npm",
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const code = await new Promise((resolve) => child.on("close", resolve).on("error", resolve));
  if (ticking) clearInterval(ticking);
  process.stderr.write(ticking ? `\r${title} … ${seconds()}\n` : `${seconds()}\n`);
  if (code?.code === "ENOENT" && command === "npm") fail("npm is missing. It comes with Node.js: https://nodejs.org");
  if (code !== 0) fail(`${output.replace(/^npm warn.*\n/gm, "").trim()}\n\n${failure}`);
}

/** @param {string} version */
function isSupported(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 13);
}

/** @param {string} folder relative to the root */
function filesUnder(folder) {
  if (!existsSync(join(root, folder))) return [];
  const names = /** @type {string[]} */ (readdirSync(join(root, folder), { recursive: true }));
  return names
    .filter((name) => /\.\w+$/.test(name))
    .sort()
    .map((name) => join(folder, name));
}

if (Number(process.versions.node.split(".")[0]) < 20) {
  fail(`Set-up needs Node 20 or later; this is ${process.versions.node}. Install it: https://nodejs.org`);
}
if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await setUp();
