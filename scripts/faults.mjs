// `npm run faults`: real faults against the built server. Passes on its arguments.
import { runNode, setUp } from "./set-up.mjs";
import { ensureSystemPackages } from "./system-packages.mjs";

await setUp();
ensureSystemPackages();
process.exitCode = await runNode(["packages/cli/test/faults/main.ts", ...process.argv.slice(2)]);
