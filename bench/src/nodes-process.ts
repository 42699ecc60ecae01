// A node for bench `nodes`: `URL DIR`. Its agent makes one small call after the other, so the trees that it drives never rest. Reads a number
// from its standard input: so many dialogs begin here.
import { createInterface } from "node:readline";
import { defineTool, openProject } from "@colloquy/library";
import { z } from "zod";
import { slowModel } from "./slow-model.ts";
import { WORDS } from "./instant-model.ts";

const [store = "", dir = ""] = process.argv.slice(2);
const tick = defineTool({ name: "tick", description: "Ticks.", input: z.object({ nth: z.number() }), reads: true, run: () => "tock" });
const model = slowModel();
const project = await openProject({
  dir,
  agents: [{ id: "lead", role: "You lead.", tools: [tick] }],
  model: model.name,
  findModel: () => model,
  config: { limits: { stepsPerTurn: 1_000_000 } },
  env: { ...process.env, COLLOQUY_STORE: store },
  report: () => undefined,
});
process.once("SIGTERM", () => void project.close().then(() => process.exit(0)));
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  await Promise.all(Array.from({ length: Number(line) }, () => project.dialogs.create({ content: WORDS })));
  process.stdout.write("begun\n");
}
