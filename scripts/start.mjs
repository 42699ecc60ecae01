// `npm start`: from a fresh clone to the demo in one command.
import { runNode, setUp } from "./set-up.mjs";

await setUp();
process.exitCode = await runNode(["packages/cli/bin/colloquy.js", "demo", "--play", ...process.argv.slice(2)]);
