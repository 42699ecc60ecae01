// `npm run bench:peers`: benchmarks against peers. They aren't part of the product: they are installed here, on first use.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fail, onSupportedNode, root, runNode, setUp } from "./set-up.mjs";

await onSupportedNode(import.meta.url);
await setUp(); // each is measured as installed, and so are we

const folder = join(root, "bench/peers");
const installed = join(folder, "node_modules/.package-lock.json");
/** @param {string} file */
const names = (file) => Object.keys(JSON.parse(readFileSync(file, "utf8")).packages).join();
const isCurrent = existsSync(installed) && existsSync(join(folder, "node_modules/@langchain/langgraph")) && isSame();

/** npm's record leaves out the folder itself and packages for other platforms. */
function isSame() {
  const wanted = new Set(names(join(folder, "package-lock.json")).split(","));
  return names(installed)
    .split(",")
    .every((name) => wanted.has(name));
}

if (!isCurrent) {
  console.error(
    "Installing the peers into bench/peers/node_modules: about 550 MB, the first time only; their install scripts are not run …",
  );
  const { status } = spawnSync("npm", ["ci", "--include=dev", "--ignore-scripts"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) fail("The peers could not be installed; npm says why above. The npm registry must be reachable for this.");
}
process.exitCode = await runNode(["bench/peers/src/main.ts", ...process.argv.slice(2)]);
