import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findModels } from "@colloquy/library";
import { expect, onTestFinished, test } from "vitest";
import { modelChoices, preferredModel } from "../src/project/model-choice.ts";
import { demos } from "../src/templates/demo.ts";
import { templates } from "../src/templates/project-files.ts";
import { colloquy, folder, inTerminal, project, start, write } from "./support.ts";

const all = Object.keys(templates).flatMap((template) => ["en", "zh"].map((language) => [template, language] as const));

test.each(all)("[K47] init creates a working project: %s, %s", async (template, language) => {
  const dir = folder();
  const made = await inTerminal(dir, ["init", "shop", "--template", template, "--language", language, "--model", "scripted/demo"]);
  expect(made).toMatchObject({ code: 0, err: "" });
  expect(made.out).toMatch(/^shop is ready: /);
  expect(made.out).toContain(`cd shop\n  colloquy ${template === "sprint" ? "tasks add" : "new"} `);
  const shop = join(dir, "shop");
  expect(readFileSync(join(shop, "colloquy.yaml"), "utf8")).toContain(`language: ${language}`);
  expect(readFileSync(join(shop, ".gitignore"), "utf8")).toBe(".dialogs/\n.env\n");
  // Faster than a person reads.
  writeFileSync(join(shop, "scripts/demo.yaml"), readFileSync(join(shop, "scripts/demo.yaml"), "utf8").replace(/^speed:.*\n/m, ""));
  expect((await inTerminal(shop, ["doctor"])).code).toBe(0);
  const answered = await colloquy(shop, "new", "--wait", "Hello");
  expect(answered.code).toBe(0);
  expect(answered.stdout).toContain(template === "sprint" ? "Hello" : "colloquy.yaml");
});

test.each(all.filter(([template]) => template === "support" || template === "pair"))(
  "[K47] without a model, a script plays the first message and asks a person: %s, %s",
  async (template, language) => {
    const dir = folder();
    await colloquy(dir, "init", "--template", template, "--language", language, "--model", "scripted/demo");
    const script = join(dir, "scripts/demo.yaml");
    writeFileSync(script, readFileSync(script, "utf8").replace(/^speed:.*\n/m, ""));
    const { firstMessage } = templates[template as keyof typeof templates][language as "en" | "zh"];
    expect((await colloquy(dir, "new", firstMessage)).code).toBe(4);
    const ended = await colloquy(dir, "answer", "@", "--choice", "2", "--wait");
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("scripts/demo.yaml") });
    const written = template === "support" ? "answers/1042.md" : "drafts/invitation.md";
    expect(readFileSync(join(dir, written), "utf8")).toMatch(/Money back|退款|4 July|7 月 4 日/);
  },
);

test.each([
  [{ ANTHROPIC_API_KEY: "x" }, "anthropic/claude-sonnet-5-5"],
  [{ OPENAI_API_KEY: "x" }, "openai/gpt-6.1-sol"],
])("[K47] with %j init takes a model that it allows", async (env, model) => {
  const dir = folder();
  await start(dir, ["init", "--yes"], { env }).ended;
  expect(readFileSync(join(dir, "colloquy.yaml"), "utf8")).toContain(`defaults: { model: "${model}" }`);
  expect(existsSync(join(dir, "scripts"))).toBe(false);
});

test("[K19] @ is the dialog that a served demo began", async () => {
  const dir = folder();
  const demo = start(dir, ["demo", join(dir, "demo"), "--serve", "--port", "0"]);
  onTestFinished(async () => {
    demo.kill("SIGKILL");
    await demo.ended;
  });
  await demo.says("Open http");
  expect(await colloquy(join(dir, "demo"), "tree", "@")).toMatchObject({ code: 0, stdout: expect.stringContaining("lead") as string });
});

test("[K47] a key in .env counts, and a server on this machine is offered with its settings", async () => {
  const dir = folder({ ".env": "ANTHROPIC_API_KEY=x\n" });
  const found = await findModels(dir, {});
  expect(preferredModel(modelChoices(found))).toEqual({ name: "anthropic/claude-sonnet-5-5" });
  const local = [{ server: "ollama", baseURL: "http://127.0.0.1:11434/v1", models: ["qwen3:8b"] }];
  const settings = { provider: "openai-compatible", baseURL: "http://127.0.0.1:11434/v1", id: "qwen3:8b" };
  expect(preferredModel(modelChoices({ available: [], local }))).toEqual({ name: "local", settings });
  expect(preferredModel(modelChoices({ available: [], local: [] }))).toEqual({ name: "scripted/demo" });
});

test("[K48] init leaves existing files alone", async () => {
  const dir = project();
  const before = readFileSync(join(dir, "colloquy.yaml"), "utf8");
  const refused = await colloquy(dir, "init", "--yes");
  expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("already, and it was not changed") });
  expect(readFileSync(join(dir, "colloquy.yaml"), "utf8")).toBe(before);

  const other = folder({ "agents/writer.md": "mine" });
  expect(await colloquy(other, "init", "--template", "pair", "--yes")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("agents/writer.md is there already, and nothing is overwritten."),
  });
  expect(existsSync(join(other, "colloquy.yaml"))).toBe(false);
  expect(readFileSync(join(other, "agents/writer.md"), "utf8")).toBe("mine");
});

test("[K49] [K48] demo: ready without a key, and reused the second time", async () => {
  const dir = folder();
  const made = await inTerminal(dir, ["demo"]);
  expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^A demo is ready in colloquy-demo\. No key needed\./) });
  const script = join(dir, "colloquy-demo/scripts/demo.yaml");
  expect((await inTerminal(join(dir, "colloquy-demo"), ["doctor"])).code).toBe(0);
  writeFileSync(script, "rules: [{ do: { say: mine } }]\n");
  expect((await inTerminal(dir, ["demo"])).out).toMatch(/^The demo is still there in colloquy-demo\./);
  expect((await colloquy(join(dir, "colloquy-demo"), "new", "--wait", "hi")).stdout).toBe("mine\n");
  write(dir, { "own/colloquy.yaml": "agents: {}\n" });
  expect(await inTerminal(dir, ["demo", "own"])).toMatchObject({ code: 1, err: expect.stringContaining("already holds a project") });
});

test("[K50] demo --play into a pipe: a team at work, the recommended choice, the tree, and where to look", async () => {
  const dir = folder();
  const { code, stdout, stderr } = await colloquy(dir, "demo", "--play");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  // The script's own time, which does not depend on the machine: it speaks this many characters per second.
  const [, speed] = /^speed: (\d+)/m.exec(readFileSync(join(dir, "colloquy-demo/scripts/demo.yaml"), "utf8")) ?? [];
  expect(stdout.length / Number(speed)).toBeLessThan(60);
  for (const text of [
    "Somebody is unhappy.",
    "→ clerk: What was ordered",
    "→ potter: Can the bowls",
    "→ lead (asks back): One of two bowls",
    "read_file kiln.md ✓",
    "◆ What do we offer Ines Brandt",
    "1  New pair",
    "taking 1, New pair",
    "write_file answers/1042.md ✓",
    "Who decided: you.",
    "nothing is open",
  ])
    expect(stdout).toContain(text);
  const [, log = ""] = /^ {2}(colloquy-demo\/\.dialogs\/run\/\w+\/course-001\.jsonl)/m.exec(stdout) ?? [];
  expect(readFileSync(join(dir, log), "utf8")).toContain("Who decided: you.");
  expect(readFileSync(join(dir, "colloquy-demo/answers/1042.md"), "utf8")).toContain("A new pair goes into the kiln on Friday");
  expect((await colloquy(dir, "-C", "colloquy-demo", "show", "@")).stdout).toContain("Who decided: you.");
});

test("[K132] in a Chinese terminal the demo plays in Chinese, to each of its ends", async () => {
  const dir = folder();
  const env = { LC_ALL: "zh_CN.UTF-8" };
  expect((await inTerminal(dir, ["demo", "shop"], { env })).out).toContain("演示已建好：shop。无须密钥。");
  const shop = join(dir, "shop");
  const script = join(shop, "scripts/demo.yaml");
  writeFileSync(script, readFileSync(script, "utf8").replace(/^speed:.*\n/m, "")); // faster than a person reads
  const { code, out } = await inTerminal(dir, ["demo", "--play", "--yes", "shop"], { env });
  expect(code).toBe(0);
  for (const text of ["有人不高兴了。", "◆ 碎了一只碗", "（这里没有人可问：取 1，重做一对。）", "谁决定的：你。", "它在磁盘上留下了什么"])
    expect(out).toContain(text);
  const ends = ["新的一对星期五入窑", "38.00 今天就退给您。\n", "这次算我们送的"];
  for (const [nth, end] of ends.entries()) {
    await inTerminal(shop, ["new", demos.zh.message]);
    expect(await inTerminal(shop, ["answer", "@", "--choice", String(nth + 1)])).toMatchObject({ code: 0 });
    expect(readFileSync(join(shop, "answers/1042.md"), "utf8")).toContain(end);
  }
  expect((await colloquy(shop, "new", "--wait", "订单 1043 怎么样了？")).stdout).toContain("客户：田美");
  await colloquy(shop, "new", demos.zh.message);
  expect((await colloquy(shop, "ask-back", "@", "一窑要花多少钱？")).stdout).toContain("加烧一窑要 60");
});

test("[K85] the person's choice changes the end, also after kill -9 with the question open", async () => {
  const dir = folder();
  await colloquy(dir, "demo", "shop");
  const shop = join(dir, "shop");
  const script = join(shop, "scripts/demo.yaml");
  // Faster than a person reads.
  writeFileSync(script, readFileSync(script, "utf8").replace(/^speed:.*\n/m, ""));
  const letter = () => readFileSync(join(shop, "answers/1042.md"), "utf8");
  const ends = ["A new pair goes into the kiln", "Your 38.00 are on their way back to you today.\n", "a present from us this time"];
  for (const [nth, end] of ends.entries()) {
    const asking = start(shop, ["new", "Order 1042 arrived broken, and the customer is unhappy. What do we do?"]);
    await asking.says("answer: colloquy answer");
    asking.kill("SIGKILL");
    await asking.ended;
    await colloquy(shop, "ask-back", "@", "What does a firing cost?");
    expect(await colloquy(shop, "answer", "@", "--choice", String(nth + 1))).toMatchObject({ code: 0 });
    expect(letter()).toContain(end);
  }
  await colloquy(shop, "new", "Order 1042 arrived broken, and the customer is unhappy. What do we do?");
  await colloquy(shop, "answer", "@", "A voucher for her");
  expect(letter()).toContain("A voucher for her");
});
