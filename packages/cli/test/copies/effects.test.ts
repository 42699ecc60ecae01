import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineTool, openProject } from "@colloquy/library";
import { expect, test } from "vitest";
import { z } from "zod";
import { colloquy, folder } from "../support.ts";

const SCRIPT = `rules:
  - when: { result: pay }
    do: { say: "Who knows?" }
  - when: { text: pay }
    do: { call: { tool: pay, input: { to: Ben } } }
  - when: { result: write_file }
    do: { say: "Written." }
  - do: { call: { tool: write_file, input: { path: a.txt, content: "a" } } }
`;
const SETTINGS = `defaults: { model: scripted/play }
autonomy: { scopeChanges: automated }
agents:
  lead: { name: Lead, role: "You lead.", tools: [files], default: true }
`;

/** A project in which a payment never ended. */
async function shop() {
  const dir = folder({ "colloquy.yaml": SETTINGS, "scripts/play.yaml": SCRIPT });
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    input: z.strictObject({ to: z.string() }),
    timeoutMs: 1,
    run: (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("cut")))),
  });
  const agents = [{ id: "cashier", name: "Cashier", role: "You pay.", model: "scripted/play", tools: [pay] }];
  await using project = await openProject({ dir, agents, report: () => undefined });
  const dialog = await project.dialogs.create({ content: "pay", agent: "cashier" });
  await project.dialogs.quiet(dialog.id);
  return { dir, id: dialog.id, call: project.effects.unsettled()[0]?.call ?? "" };
}
const cells = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));

test("[EF7] effects lists what was done, and settles what nobody knows", async () => {
  const { dir, id, call } = await shop();
  const asked = JSON.parse((await colloquy(dir, "questions", "--json")).stdout) as { unsettled: unknown };
  expect(asked.unsettled).toMatchObject([{ call, tool: "pay", agent: "cashier", dialog: id }]);
  await colloquy(dir, "new", "write");
  expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("a");
  const listed = cells((await colloquy(dir, "effects", "--since", "1d")).stdout);
  expect(listed.map(([, , , agent, tool, outcome, , what]) => [agent, tool, outcome, what])).toEqual([
    ["lead", "write_file", "done", "a.txt"],
    ["cashier", "pay", "unknown", '{"to":"Ben"}'],
  ]);
  expect(cells((await colloquy(dir, "effects", "--unknown")).stdout)).toEqual([listed[1]]);
  expect(cells((await colloquy(dir, "effects", id, "--limit", "1")).stdout)).toEqual([listed[1]]);
  expect(await colloquy(dir, "effects", "settle", call.slice(-6), "failed", "No", "invoice.")).toMatchObject({ code: 0, stderr: "" });
  expect((await colloquy(dir, "effects", "--unknown")).stdout).toBe("");
  const log = (await colloquy(dir, "log", id)).stdout;
  expect(log).toMatch(/call\.settled\t.*"as":"failed","note":"No invoice\."/);
  expect(await colloquy(dir, "effects", "settle", call, "done")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("nothing to settle") as string,
  });
});

test("[EF7] wrong words are refused with what is valid", async () => {
  const { dir } = await shop();
  for (const [words, said] of [
    [["settle"], "effects settle CALL done|failed"],
    [["settle", "ffffff", "perhaps"], "effects settle CALL done|failed"],
    [["--since", "soon"], "--since takes a time"],
    [["--limit", "0"], "--limit takes a number"],
  ] as const)
    expect(await colloquy(dir, "effects", ...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(said) as string });
});
