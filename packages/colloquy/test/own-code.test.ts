import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packedFolder, run } from "./packed-folder.ts";

const APP = `
import { defineAgent, openProject } from "colloquy";
const lead = defineAgent({ id: "lead", role: "You lead.", model: "scripted/writes", tools: ["files"] });
await using project = await openProject({ dir: ".", agents: [lead] });
const dialog = await project.dialogs.create({ content: "Go" });
console.log(await dialog.result());
`;
const call = (tool: string, input: object): object => ({ call: { tool, input } });
const RUNS = 'import { writeFileSync } from "node:fs"; writeFileSync("/proc/self/cwd/ran", "as us");';
const TARGETS = [
  "node_modules/colloquy/dist/files.worker.js",
  "node_modules/colloquy/dist/search.worker.js",
  "node_modules/colloquy/node_modules/zod/index.js",
  "node_modules/bufferutil/index.js",
  "node_modules/.bin/colloquy",
];

test("[B20] an agent cannot replace the files of an installed Colloquy that it runs in", async () => {
  const script = {
    rules: [
      { when: { step: 1 }, do: TARGETS.map((path) => call("write_file", { path, content: RUNS })) },
      { when: { step: 2 }, do: [call("list_dir", { path: "." })] },
      { do: { say: "Done." } },
    ],
  };
  const dir = packedFolder({ "app.ts": APP, "scripts/writes.yaml": JSON.stringify(script) });
  expect(await run(dir, ["app.ts"])).toMatchObject({ code: 0, out: "Done.\n" });
  expect(existsSync(join(dir, "ran"))).toBe(false);
  for (const path of TARGETS.slice(2)) expect([path, existsSync(join(dir, path))]).toEqual([path, false]);
});
