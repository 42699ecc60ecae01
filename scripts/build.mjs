// Bundles our packages into dist/; what comes from npm stays outside and is installed beside it.
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, join } from "node:path";
import { fail, onSupportedNode, root, sourceHash } from "./set-up.mjs";

await onSupportedNode(import.meta.url);
const { globSync } = await import("node:fs"); // Node 20 has none.
const { rolldown } = await import("rolldown");
const { dts } = await import("rolldown-plugin-dts");

/** @type {Record<string, string>} */
const entries = {
  cli: "packages/cli/src/main.ts",
  index: "packages/embed/src/index.ts",
  client: "packages/client/src/index.ts",
  testing: "packages/testing/src/index.ts",
};
// A worker thread is started by file name, so it needs a file of its own: x.worker.ts becomes dist/x.worker.js.
for (const file of globSync("packages/*/src/**/*.worker.ts", { cwd: root })) entries[basename(file, ".ts")] = file;
const published = new Set(Object.keys(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).dependencies));
const target = join(root, "dist");
const draft = join(root, "dist.new"); // A failed build leaves the last good one in place.

// The plugin greets every build with the remark that TypeScript 7 is new.
const quiet = { ...console, info() {}, warn() {} };

/** @param {string} id */
function external(id) {
  if (/^([./\0]|@colloquy\/)/.test(id)) return false;
  const name = id.split("/", id.startsWith("@") ? 2 : 1).join("/");
  if (!isBuiltin(id) && !published.has(name)) throw new Error(`${name} is imported but is not among the root's dependencies`);
  return true;
}

/**
 * @param {[name: string, file: string][]} input
 * @param {import("rolldown").OutputOptions} output
 * @param {import("rolldown").RolldownPluginOption} [plugins]
 */
async function bundle(input, output, plugins) {
  const files = Object.fromEntries(input.map(([name, file]) => [name, join(root, file)]));
  const made = await rolldown({ cwd: root, input: files, external, plugins, platform: "node", transform: { target: "node22" } });
  await made.write({ dir: draft, format: "es", ...output });
  await made.close();
}

async function build() {
  const began = Date.now();
  const hash = sourceHash();
  const present = Object.entries(entries).filter(([, file]) => existsSync(join(root, file)));
  const absent = Object.entries(entries).filter(([, file]) => !existsSync(join(root, file)));
  for (const [name, file] of absent) console.log(`skipped dist/${name}.js: there is no ${file}`);
  if (present.length === 0) return;

  rmSync(draft, { recursive: true, force: true });
  await bundle(present, { sourcemap: true, chunkFileNames: "[name]-[hash].js" });
  const library = present.filter(([name]) => name === "index" || name === "client" || name === "testing");
  if (library.length > 0) await bundle(library, {}, dts({ emitDtsOnly: true, tsconfig: "tsconfig.json", logger: quiet }));
  writeFileSync(join(draft, ".stamp"), hash);
  rmSync(target, { recursive: true, force: true });
  renameSync(draft, target);

  const code = readdirSync(target).filter((file) => file.endsWith(".js"));
  const size = code.reduce((sum, file) => sum + statSync(join(target, file)).size, 0);
  console.log(`dist: ${code.length} files, ${Math.round(size / 1024)} kB, ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

await build().catch((error) => fail(error.message));
