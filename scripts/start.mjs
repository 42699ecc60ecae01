// `npm start`: from a fresh clone to a team at work, on a page, in one command.
import { runNode, setUp } from "./set-up.mjs";

await setUp();
process.exitCode = await runNode(["packages/cli/bin/colloquy.js", "demo", "--serve", ...process.argv.slice(2)]);
