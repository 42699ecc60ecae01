import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool, openProject, ProjectTeam } from "@colloquy/library";
import { toolGroups } from "@colloquy/runtime";
import { memoryStore } from "@colloquy/store";
import { calls, say, toldModel, world } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { z } from "zod";
import { matches } from "@colloquy/core";
import { masked, secretsIn } from "@colloquy/core";
import { notIsolated, sandboxStatus } from "../../src/tools/shell/sandbox.ts";

const projectDir = () => mkdtempSync(join(tmpdir(), "colloquy-scenario-"));
const shellTools = (status = sandboxStatus) => toolGroups({ shell: { network: "none", env: process.env, status } })["shell"] ?? [];
const missing = () => notIsolated("bubblewrap is missing");
const command = (text: string) => calls(["run_command", { command: text }]);

test("[H13] a command without a sandbox waits for a person, and a grant covers similar ones", async () => {
  const dir = projectDir();
  const telling = { lead: [command("echo one >> log"), command("echo two >> log"), command("touch evil; echo x"), say("done")] };
  const w = await world({ telling, tools: shellTools(missing), dir });
  const dialog = await w.project.dialogs.create({ content: "go" });
  const question = async () => {
    await w.project.dialogs.quiet(dialog.id);
    const [open] = (await w.project.questions.list()).filter(({ status }) => status === "open");
    if (!open) throw new Error("There is no question.");
    return open;
  };
  const first = await question();
  expect(first).toMatchObject({
    kind: "approval",
    headline: "Run: echo one >> log",
    text: expect.stringMatching(/^Commands are not isolated here \(bubblewrap is missing\)\. /),
  });
  await w.project.questions.approve(first.id, { scope: "dialog", pattern: "run_command(echo * >> log)" });
  const second = await question();
  expect(second.headline).toContain("touch evil");
  expect(readFileSync(join(dir, "log"), "utf8")).toBe("one\ntwo\n");
  await w.project.questions.deny(second.id);
  expect(await dialog.result()).toBe("done");
});

test.each([
  ["shell: { network: true }", "The network can be reached."],
  ["shell: {}", "There is no network."],
  ["", "There is no network."],
])("[H5] the project's settings decide: %j", async (line, expected) => {
  const dir = projectDir();
  writeFileSync(join(dir, "colloquy.yaml"), `agents: { lead: { role: "You lead.", tools: [files, shell] } }\n${line}\n`);
  const team = new ProjectTeam({ dir, agents: [], model: undefined, env: {}, findModel: undefined, now: Date.now, report: () => {} }, true);
  await team.refresh();
  const tools = team.member("lead")?.tools;
  expect([...(tools?.keys() ?? [])]).toEqual(["list_dir", "read_file", "write_file", "edit_file", "search_files", "run_command"]);
  expect(tools?.get("run_command")?.offer.description).toContain(expected);
});

test("[H14] a call that needs approval by the time it would run, and has none, doesn't run", async () => {
  const dir = projectDir();
  // Present while the step is judged, which asks twice; gone when the call runs.
  const stages = [sandboxStatus, sandboxStatus, missing];
  const telling = { lead: [command("touch ran"), say("ok")] };
  const w = await world({ telling, tools: shellTools(() => (stages.shift() ?? missing)()), dir });
  const dialog = await w.project.dialogs.create({ content: "go" });
  expect(await dialog.result()).toBe("ok");
  expect(await w.story(dialog.id)).toContain(
    "run_command> run_command was not run: it now needs a person's approval. Call it again to ask for it.",
  );
});

test("[H16] keys are masked in a tool's results and errors", async () => {
  const dir = projectDir();
  writeFileSync(join(dir, ".env"), "SERVER_TOKEN=from-the-file-1234\n");
  const leaky = defineTool({
    name: "leaky",
    description: "Gives keys away.",
    input: z.strictObject({ fails: z.boolean() }),
    run: ({ fails }) => {
      if (fails) throw new Error("401 for sk-very-secret-key");
      return { url: "https://x/?k=sk-very-secret-key", file: "from-the-file-1234", long: `${"x".repeat(40_000)} sk-very-secret-key` };
    },
  });
  const model = toldModel({ lead: [calls(["leaky", { fails: false }], ["leaky", { fails: true }]), say("ok")] }, []);
  const store = memoryStore();
  const project = await openProject({
    dir,
    store,
    agents: [{ id: "lead", role: "You lead.", tools: [leaky] }],
    model: model.name,
    findModel: () => model,
    env: { MY_API_KEY: "sk-very-secret-key" },
  });
  const dialog = await project.dialogs.create({ content: "go" });
  await dialog.result();
  const ended = (await project.dialogs.events(dialog.id)).flatMap((line) => line.events).filter((event) => event.type === "call.ended");
  expect(ended[0]?.output).toMatch(/^\{"url":"https:\/\/x\/\?k=\[masked\]","file":"\[masked\]"/);
  expect(ended[1]?.output).toBe("401 for [masked]");
  const blob = await store.getBlob(dialog.id, ended[0]?.blob?.name ?? "");
  expect(Buffer.from(blob ?? []).toString()).toMatch(/x \[masked\]"\}$/);
  await project.close();
});
test("[H16] which values are keys", () => {
  const env = {
    OPENAI_API_KEY: "sk-12345678",
    GITHUB_TOKEN: "ghp_1234",
    CLIENT_SECRET: "s3cr3t-s3cr3t",
    AWS_SECRET_ACCESS_KEY: "aws/12345+678",
    SHORT_TOKEN: "1234567",
    TOKENS: "not-a-key-at-all",
    MINE: "by-its-name-only",
    HOME: "/home/me",
    EMPTY_TOKEN: undefined,
  };
  const secrets = secretsIn(env, ["MINE"]);
  expect(secrets.toSorted()).toEqual(["aws/12345+678", "by-its-name-only", "ghp_1234", "s3cr3t-s3cr3t", "sk-12345678"]);
  expect(masked("sk-12345678 sk-1234567 aws%2F12345%2B678 by-its-name-only 1234567", secrets)).toBe(
    "[masked] sk-1234567 [masked] [masked] 1234567",
  );
  expect(masked("longer-key-1234 key-1234", secretsIn({ A_TOKEN: "key-1234", B_TOKEN: "longer-key-1234" }))).toBe("[masked] [masked]");
});

test.each([
  ["npm test", true],
  ["npm test --watch=no src/a.test.ts", true],
  ["npm test; rm -rf ~", false],
  ["npm test && curl x | sh", false],
  ["npm test $(rm x)", false],
  ["npm test `rm x`", false],
  ["npm test > ../x", false],
  ["npm test\nrm x", false],
  ["npm testament", true],
  ["npm run test", false],
])("[H23] a grant of run_command(npm test*) covers %j: %s", (text, expected) => {
  expect(matches("run_command(npm test*)", { tool: "run_command", input: { command: text } })).toBe(expected);
});
