// Bundles our packages into dist/. Dependencies of the library stay external and are installed beside it; those of the command line and
// the server are bundled, so that a library user doesn't install a terminal and a web framework.
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { licences } from "./licences.mjs";
import { fail, onSupportedNode, root, sourceHash } from "./set-up.mjs";

await onSupportedNode(import.meta.url);
const { globSync } = await import("node:fs"); // Node 20 has none.
const { rolldown } = await import("rolldown");
const { minifySync } = await import("rolldown/utils");
const { dts } = await import("rolldown-plugin-dts");

const libraries = { index: "packages/colloquy/src/index.ts", testing: "packages/testing/src/index.ts" };
/** @type {Record<string, string>} */
const entries = { cli: "packages/cli/src/main.ts", "supported-node": "packages/colloquy/src/supported-node.ts", ...libraries };
/** These also run in browsers, and share nothing with the others, so that they import no Node module. */
const browserEntries = { client: "packages/client/src/index.ts", react: "packages/react/src/index.ts" };
// A worker thread is started by file name, so it needs its own file: x.worker.ts becomes dist/x.worker.js.
for (const file of globSync("packages/*/src/**/*.worker.ts", { cwd: root })) entries[basename(file, ".ts")] = file;
const { dependencies, peerDependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
/** External packages. */
const optional = ["bufferutil", "utf-8-validate", "react-devtools-core", "pg", "@opentelemetry/api", "nostr-wasm"];
const target = join(root, "dist");
const draft = join(root, "dist.new"); // A failed build leaves the last good one in place.

// Hides the plugin's greeting that TypeScript 7 is new.
const quiet = { ...console, info() {}, warn() {} };

/** @param {string} id */
const packageOf = (id) => id.split("/", id.startsWith("@") ? 2 : 1).join("/");

/**
 * @param {string} id
 * @param {string | undefined} importer
 */
function outside(id, importer) {
  if (/^([./\0]|@colloquy\/)/.test(id)) return false;
  const name = packageOf(id);
  if (isBuiltin(id) || name in dependencies || optional.includes(name)) return true;
  const isOurs = !importer?.includes("node_modules");
  if (isOurs && !(name in devDependencies)) throw new Error(`${name} is imported but is not among the root's dependencies`);
  return false;
}

/** The hooks use the React of their page. @type {typeof outside} */
const outsideOfBrowsers = (id, importer) => packageOf(id) in peerDependencies || outside(id, importer);

/** No bundler but ours can tree-shake `z`, which contains all of zod in every language; all of them can tree-shake the namespace. */
const leanZod = {
  name: "lean-zod",
  renderChunk: (/** @type {string} */ code) => ({
    code: code.replace(/^import \{ z \} from "zod";$/gm, 'import * as z from "zod";'),
    map: null,
  }),
};

/**
 * @param {Record<string, string>} input
 * @param {import("rolldown").OutputOptions} output
 * @param {Pick<import("rolldown").InputOptions, "external" | "platform" | "plugins" | "treeshake">} how
 */
async function bundle(input, output, how) {
  const files = Object.fromEntries(Object.entries(input).map(([name, file]) => [name, join(root, file)]));
  const define = { "process.env.NODE_ENV": JSON.stringify("production") };
  const made = await rolldown({
    cwd: root,
    input: files,
    transform: { target: "node22", define },
    checks: { pluginTimings: false },
    ...how,
  });
  const written = await made.write({ dir: draft, format: "es", ...output });
  await made.close();
  for (const chunk of written.output) {
    if (chunk.type !== "chunk" || !chunk.moduleIds.some(isOthers)) continue;
    dropMap(join(draft, chunk.fileName));
    if (chunk.moduleIds.every((module) => isOthers(module) || module.startsWith("\0"))) shrink(join(draft, chunk.fileName));
  }
  for (const { fileName } of written.output) if (fileName.endsWith(".map")) dropSources(join(draft, fileName));
  return modulesIn(written.output);
}

/** @param {string} module */
const isOthers = (module) => module.includes("node_modules");

/** Nobody debugs third-party code; its source map would be larger than everything else. @param {string} file */
function dropMap(file) {
  rmSync(`${file}.map`, { force: true });
  writeFileSync(file, readFileSync(file, "utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n"));
}

/** Third-party code without its comments, line breaks and local names; functions and classes keep theirs. @param {string} file */
function shrink(file) {
  const how = {
    module: true,
    compress: { target: "node22", keepNames: { function: true, class: true } },
    mangle: { keepNames: true },
    codegen: { removeWhitespace: true },
  };
  const { code, errors } = minifySync(file, readFileSync(file, "utf8"), how);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  writeFileSync(file, code);
}

/** Stack traces need only files and lines; the sources' text would be a quarter of the package. @param {string} map */
function dropSources(map) {
  if (!existsSync(map)) return; // it was dropped as a whole
  const { sourcesContent: _, ...rest } = JSON.parse(readFileSync(map, "utf8"));
  writeFileSync(map, JSON.stringify(rest));
}

/** Budget of what the inbox loads first, compressed: it must open at once. */
const FIRST_LOAD_BYTES = 210_000;

/** The web app: static files beside the bundle, each also compressed. */
async function buildWeb() {
  const { build: buildApp } = await import("vite");
  const outDir = join(draft, "web");
  const configFile = join(root, "packages/web/vite.config.ts");
  const made = await buildApp({ configFile, logLevel: "error", build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 2_000 } });
  for (const file of globSync("**/*.{js,css,html,svg}", { cwd: outDir })) {
    writeFileSync(join(outDir, `${file}.gz`), gzipSync(readFileSync(join(outDir, file)), { level: 9 }));
  }
  const first = [...readFileSync(join(outDir, "index.html"), "utf8").matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)];
  const size = first.reduce((sum, [, file]) => sum + statSync(join(outDir, `${file}.gz`)).size, 0);
  if (size > FIRST_LOAD_BYTES)
    throw new Error(`The inbox loads ${size} bytes of compressed JavaScript first; ${FIRST_LOAD_BYTES} are allowed.`);
  console.log(`dist/web: ${Math.round(size / 1000)} kB of JavaScript first, compressed`);
  return modulesIn([made].flat().flatMap((one) => ("output" in one ? one.output : [])));
}

/** @param {readonly { readonly type: string, readonly moduleIds?: readonly string[] }[]} output */
const modulesIn = (output) => output.flatMap(({ moduleIds = [] }) => moduleIds);

async function build() {
  const began = Date.now();
  const hash = sourceHash();
  rmSync(draft, { recursive: true, force: true });
  const code = { sourcemap: true, chunkFileNames: "[name]-[hash].js" };
  const node = /** @type {const} */ ({ platform: "node", external: outside });
  const browser = /** @type {const} */ ({ platform: "browser", external: outsideOfBrowsers });
  // Imports are evaluated in order: the check must come before any syntax that an old Node rejects.
  const checkNode = (/** @type {{ name: string }} */ { name }) => (name in libraries ? 'import "./supported-node.js";' : "");
  // Apart from our code they are shrunk; each is still loaded only when it is used.
  const groups = ["@a2a-js/sdk", "@agentclientprotocol/sdk", "@modelcontextprotocol/server", "fastify"].map((name) => ({
    name: name.replace(/^@/, "").replace("/", "-"),
    test: new RegExp(`node_modules/${name}/`),
  }));
  const bundled = await bundle(entries, { ...code, banner: checkNode, codeSplitting: { groups } }, node);
  // Hooks are client code: a framework that renders on a server must know it.
  const banner = (/** @type {{ name: string }} */ { name }) => (name === "react" ? '"use client";' : "");
  await bundle(browserEntries, { ...code, banner }, { ...browser, plugins: leanZod });
  const plugins = dts({ emitDtsOnly: true, tsconfig: "tsconfig.json", logger: quiet });
  // Declarations have no effects: a package whose types nobody is shown is not imported.
  await bundle({ ...libraries, ...browserEntries }, {}, { ...browser, plugins, treeshake: { moduleSideEffects: "no-external" } });
  writeFileSync(join(draft, "THIRD-PARTY.md"), licences([...bundled, ...(await buildWeb())]));
  writeFileSync(join(draft, ".stamp"), hash);
  rmSync(target, { recursive: true, force: true });
  renameSync(draft, target);

  const files = readdirSync(target).filter((file) => file.endsWith(".js"));
  const size = files.reduce((sum, file) => sum + statSync(join(target, file)).size, 0);
  console.log(`dist: ${files.length} files, ${Math.round(size / 1024)} kB, ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

await build().catch((error) => fail(error.message));
