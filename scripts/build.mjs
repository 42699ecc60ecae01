// Bundles our packages into dist/; what comes from npm stays outside and is installed beside it.
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
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

/** What the inbox loads first, compressed: a page that people leave open opens at once. */
const FIRST_LOAD_BYTES = 250_000;

/** The web app: static files beside the bundle, each also compressed. */
async function buildWeb() {
  const { build: buildApp } = await import("vite");
  const outDir = join(draft, "web");
  const configFile = join(root, "packages/web/vite.config.ts");
  await buildApp({ configFile, logLevel: "error", build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 2_000 } });
  for (const file of globSync("**/*.{js,css,html,svg}", { cwd: outDir })) {
    writeFileSync(join(outDir, `${file}.gz`), gzipSync(readFileSync(join(outDir, file)), { level: 9 }));
  }
  const first = [...readFileSync(join(outDir, "index.html"), "utf8").matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)];
  const size = first.reduce((sum, [, file]) => sum + statSync(join(outDir, `${file}.gz`)).size, 0);
  if (size > FIRST_LOAD_BYTES)
    throw new Error(`The inbox loads ${size} bytes of compressed JavaScript first; ${FIRST_LOAD_BYTES} are allowed.`);
  console.log(`dist/web: ${Math.round(size / 1000)} kB of JavaScript first, compressed`);
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
  await buildWeb();
  writeFileSync(join(draft, ".stamp"), hash);
  rmSync(target, { recursive: true, force: true });
  renameSync(draft, target);

  const code = readdirSync(target).filter((file) => file.endsWith(".js"));
  const size = code.reduce((sum, file) => sum + statSync(join(target, file)).size, 0);
  console.log(`dist: ${code.length} files, ${Math.round(size / 1024)} kB, ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

await build().catch((error) => fail(error.message));
