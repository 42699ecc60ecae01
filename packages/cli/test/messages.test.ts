import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { Fault } from "@colloquy/library";
import { expect, test } from "vitest";
import { failureOf } from "../src/line/failure.ts";
import { colloquy, ended, folder, inTerminal, ownTest, project } from "./support.ts";

ownTest("[K41] [K10] a broken colloquy.yaml: every problem with its line", async () => {
  const dir = folder({
    "colloquy.yaml":
      "agents:\n  lead:\n    role: You lead.\n    tools: [files, shel]\n  coder: { role: You code., colour: red }\nnotify: {}\n",
  });
  for (const args of [["ls"], ["new", "hi"], ["agents"]]) {
    const { code, stdout, stderr } = await colloquy(dir, ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^colloquy\.yaml:5: agents\.coder/m);
    expect(stderr).toMatch(/^colloquy\.yaml:6: .*not built yet/m);
    expect(stderr).not.toContain("    at ");
  }
  writeFileSync(join(dir, "colloquy.yaml"), "agents:\n  lead: { role: x, tools: [shel] }\n");
  expect((await colloquy(dir, "ls")).stderr).toMatch(/^colloquy\.yaml:2: agents\.lead\.tools.*"shel" is unknown\. Known: files/);
  expect((await colloquy(dir, "doctor")).stdout).toMatch(/^problem\tsettings\tcolloquy\.yaml:2: /m);
});

test("[K10] COLLOQUY_DEBUG=1 prints the stack", async () => {
  const { stderr } = await ended(project(), ["show", "nope"], { env: { COLLOQUY_DEBUG: "1" } });
  expect(stderr).toMatch(/^There is no dialog "nope"\..*\n[\s\S]*\n {4}at /);
});

ownTest("[K42] [K38] [K39] a damaged log: file and line, and the others are not affected", async () => {
  const dir = project();
  const { rootId } = JSON.parse((await colloquy(dir, "new", "--json", "Broken")).stdout) as { rootId: string };
  await colloquy(dir, "send", "@", "More");
  await colloquy(dir, "new", "Whole");
  expect((await colloquy(dir, "doctor")).code).toBe(0);
  const file = join(dir, ".dialogs/run", rootId, "course-001.jsonl");
  const lines = readFileSync(file, "utf8").split("\n");
  lines[2] = (lines[2] ?? "").replace('"v"', "#");
  writeFileSync(file, lines.join("\n"));

  const id = rootId.slice(-6);
  const message = `.dialogs/run/${rootId}/course-001.jsonl:3 cannot be read. Only this dialog is affected. colloquy doctor ${id} shows and repairs it.`;
  const broken = await colloquy(dir, "show", "Broken");
  expect(broken).toEqual({ code: 1, stdout: "", stderr: `${message}\n` });
  expect((await colloquy(dir, "ls")).stdout.trimEnd().split("\n")).toHaveLength(2);
  expect((await colloquy(dir, "send", "--wait", "Whole", "Still there?")).stdout).toBe("I heard: Still there?\n");
  const looked = await colloquy(dir, "doctor");
  expect(looked.code).toBe(1);
  expect(looked.stdout).toContain(`problem\tlogs\t${message}\n`);
  expect((await inTerminal(dir, ["doctor", id])).out).toContain(`✕ logs      ${message}`);

  const mended = await colloquy(dir, "doctor", id, "--fix");
  expect(mended.code).toBe(0);
  expect(mended.stdout).toMatch(/^notice\tmended\t.*course-001\.jsonl: line 3 and \d+ after it are cut out, and kept in /m);
  expect((await colloquy(dir, "doctor")).code).toBe(0);
  expect((await colloquy(dir, "resume", "@", "--wait")).stdout).toBe("I heard: Broken\n");
});

ownTest(
  "[K42] [K39] with one unfoldable dialog the others are listed, answered, resumed and stopped, and doctor finds and repairs it",
  async () => {
    const dir = project();
    const begin = async (...words: string[]) =>
      (JSON.parse((await colloquy(dir, "new", "--json", ...words)).stdout) as { rootId: string }).rootId;
    const broken = await begin("Broken");
    const whole = await begin("Whole");
    for (const id of [broken, whole]) await colloquy(dir, "stop", id.slice(-6));
    const file = join(dir, ".dialogs/run", broken, "course-001.jsonl");
    const lines = readFileSync(file, "utf8").split("\n");
    lines[2] = (lines[2] ?? "").replace(/"type":"[a-z.]+"/, '"type":"dialog.danced"').replace(/,"crc":"\w{8}"/, "");
    writeFileSync(file, lines.join("\n"));

    const id = broken.slice(-6);
    const resumed = await colloquy(dir, "resume", "--all");
    expect(resumed.stderr).toContain(
      `.dialogs/run/${broken}/course-001.jsonl:3 cannot be read. Only this dialog is affected. colloquy doctor ${id}`,
    );
    expect(resumed.stdout).toContain(whole.slice(-6));
    expect(resumed.code).toBe(1);
    expect((await colloquy(dir, "questions")).code).toBe(0);
    expect((await colloquy(dir, "stop", "--all")).code).toBe(0);
    const looked = await colloquy(dir, "doctor");
    expect(looked.code).toBe(1);
    expect(looked.stdout).toContain(`.dialogs/run/${broken}/course-001.jsonl:3 makes no sense: there is no event "dialog.danced"`);
    const mended = await colloquy(dir, "doctor", "--fix");
    expect(mended.stdout).toMatch(/^notice\tmended\t.*course-001\.jsonl: line 3 and/m);
    expect((await colloquy(dir, "doctor")).code).toBe(0);

    rmSync(join(dir, ".dialogs/run", broken), { recursive: true });
    expect((await colloquy(dir, "ls")).stdout).toContain("damaged: ");
    expect((await colloquy(dir, "send", "--wait", "Whole", "Still there?")).stdout).toBe("I heard: Still there?\n");
    expect((await colloquy(dir, "doctor", "--fix")).stdout).toContain("is gone; the index no longer lists it.");
    expect((await colloquy(dir, "doctor")).code).toBe(0);
    expect((await colloquy(dir, "ls")).stdout.trimEnd().split("\n")).toHaveLength(1);
  },
);

ownTest("[K43] a folder that cannot be written to", async () => {
  const dir = project();
  const isRoot = process.getuid?.() === 0;
  chmodSync(dir, isRoot ? 0o755 : 0o555);
  const { code, stdout, stderr } = await ended(dir, ["new", "hi"], isRoot ? { uid: 65_534 } : {});
  chmodSync(dir, 0o755);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(`${join(dir, ".dialogs")} cannot be written to`);
  expect(stderr).not.toContain("    at ");
});

test("[K44] a full disk", () => {
  const raw = failureOf(Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" }));
  expect(raw).toMatchObject({
    exitCode: 1,
    message: "No room on the disk for this folder (ENOSPC). What was accepted is safe. Free some space, then try again.",
  });
  const told =
    "No room on the disk (0 bytes). Nothing new is accepted; what was accepted is safe. Free some space: work resumes by itself.";
  expect(failureOf(new Fault("log_full", "later", told))).toMatchObject({ exitCode: 1, code: "log_full", message: told });
});

test("[K45] [K37] no key: which variable to set, and what to do without one", async () => {
  const dir = folder({ "colloquy.yaml": 'defaults: { model: anthropic/claude-sonnet-5 }\nagents: { lead: { role: "You lead." } }\n' });
  const { code, stdout, stderr } = await colloquy(dir, "new", "hi");
  const id = stdout.trim();
  expect(code).toBe(1);
  expect(stderr).toContain(
    "No key for anthropic. Set ANTHROPIC_API_KEY (or put it into .env), or try the team without a key: colloquy demo",
  );
  expect(stderr).toContain(`colloquy resume ${id}\n`);
  expect((await colloquy(dir, "models")).stdout).toBe("anthropic/claude-sonnet-5\tlead\t2\t10\tset ANTHROPIC_API_KEY (or .env)\n");
  expect((await colloquy(dir, "doctor")).stdout).toMatch(/^problem\tmodels\tanthropic\/claude-sonnet-5: No key for anthropic\./m);
  writeFileSync(join(dir, ".env"), "ANTHROPIC_API_KEY=sk-secret\n");
  const found = await inTerminal(dir, ["models"]);
  expect(found.out).toMatch(/✓ {2}anthropic\/claude-sonnet-5 +lead +2 +10 +ANTHROPIC_API_KEY found\n/);
  expect(found.out).not.toContain("sk-secret");
});

test("[K37] models test makes a call, and fails if the call fails", async () => {
  const port = await closedPort();
  const dir = project(undefined, {
    "colloquy.yaml": `models: { mine: { provider: openai-compatible, baseURL: "http://127.0.0.1:${port}/v1", id: some-model } }\ndefaults: { model: scripted/play }\nagents: { lead: { role: x } }\n`,
  });
  expect(await colloquy(dir, "models", "test", "scripted/play")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^✓ scripted\/play plays its script\./),
  });
  const broken = await colloquy(dir, "models", "test", "mine");
  expect(broken).toMatchObject({ code: 1, stdout: expect.stringContaining(`✕ Cannot reach 127.0.0.1:${port}`) });
  expect(await colloquy(dir, "models", "test", "none")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no model "none"'),
  });
  expect((await colloquy(dir, "models")).stdout).toBe("scripted/play\tlead\t–\t–\tnone needed\nmine\t–\t–\t–\tnone needed\n");
});

/** An unused port. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("[K36] agents: the team, wherever it is defined", async () => {
  const dir = project(undefined, {
    "agents/reviewer.md": "---\nname: Reviewer\nmodel: anthropic/claude-opus-5\n---\nYou review.\nCarefully.\n",
  });
  expect((await colloquy(dir, "agents")).stdout).toBe(
    "lead\tLead\tscripted/play\tfiles\tcolloquy.yaml\nreviewer\tReviewer\tanthropic/claude-opus-5\t–\tagents/reviewer.md\n",
  );
  expect((await inTerminal(dir, ["agents"])).out).toMatch(/^\* {2}lead .*You lead\.\n {3}reviewer .*You review\. Carefully\.\n$/m);
});
