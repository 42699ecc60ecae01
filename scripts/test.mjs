// `npm test`: from a fresh clone to the result of every test. Arguments go to vitest.
import { runNode, setUp } from "./set-up.mjs";
import { ensureSystemPackages } from "./system-packages.mjs";

await setUp();
ensureSystemPackages();
process.exitCode = await runNode(["node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2)]);
