import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Telling, calls, say, world } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { toolGroups } from "./shell/groups.ts";

/** Two Latin words in a row are English; single ones are names of tools, inputs, programs and formats. */
const ENGLISH = /[A-Za-z]{2,} [A-Za-z]{2,}/;

async function chinese(telling: Telling) {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-zh-"));
  writeFileSync(join(dir, "colloquy.yaml"), "language: zh\n");
  const groups = toolGroups({ shell: { network: "none", env: process.env }, language: "zh" });
  const tools = Object.values(groups).flat();
  return world({ telling, dir, agents: [{ id: "lead", name: "组长", role: "你带领团队。", tools, default: true }] });
}

test("[N37] in a Chinese project tools and their inputs are described in Chinese", async () => {
  const w = await chinese({ lead: [say("好。")] });
  await (await w.project.dialogs.create({ content: "你好" })).result();
  const offers = w.requests[0]?.tools ?? [];
  expect(offers.map(({ name }) => name)).toEqual(expect.arrayContaining(["tellask", "askHuman", "read_file", "run_command"]));
  for (const { description, input } of offers) {
    expect(description).toMatch(/\p{Script=Han}/u);
    const hints = [...JSON.stringify(input).matchAll(/"description":"((?:[^"\\]|\\.)*)"/g)].map(([, hint = ""]) => hint);
    for (const text of [description, ...hints]) expect(text.replace("function \\\\w+Date", "")).not.toMatch(ENGLISH);
  }
});

test("[N37] in a Chinese project file tools answer in Chinese", async () => {
  const w = await chinese({
    lead: [
      calls(
        ["write_file", { path: "a.txt", content: "一\n二\n" }],
        ["edit_file", { path: "a.txt", old: "一", new: "壹" }],
        ["edit_file", { path: "a.txt", old: "三", new: "叁" }],
        ["read_file", { path: "a.txt", from: 9 }],
        ["search_files", { pattern: "肆" }],
      ),
      say("好。"),
    ],
  });
  await (await w.project.dialogs.create({ content: "写" })).result();
  const results = (w.requests[1]?.messages ?? []).flatMap((message) => (message.role === "result" ? [message.output] : []));
  expect(results).toHaveLength(5);
  for (const text of results) {
    expect(text).toMatch(/\p{Script=Han}/u);
    expect(text).not.toMatch(ENGLISH);
  }
});
