import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fault } from "@colloquy/schema";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeProvider } from "../../testing/src/fake-provider.ts";
import { type FinderOptions, listModels, type Model, modelFinder, testModel } from "../src/index.ts";
import { loadScript } from "../src/scripted/load-script.ts";
import { ask, faultIn, KEY, modelAt, user } from "./support.ts";

let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "colloquy-models-"));
  await writeFile(join(dir, "demo.yaml"), "rules:\n  - do: { say: Hello }\n");
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const options = (over: Partial<FinderOptions> = {}): FinderOptions => ({
  config: { models: {} },
  env: {},
  scriptsDir: join(dir, "none"),
  builtInScriptsDir: dir,
  ...over,
});
const find = (name: string, over: Partial<FinderOptions> = {}): Model => modelFinder(options(over))(name);

function faultFrom(doing: () => unknown): Fault {
  try {
    doing();
  } catch (error) {
    if (error instanceof Fault) return error;
  }
  throw new Error("expected a fault");
}

test("[M120] a name is a configured one or provider/id, and the same name gives the same model", () => {
  const models = { main: { provider: "openai-compatible", id: "qwen/3", baseURL: "http://127.0.0.1:8080/v1" } } as const;
  const finder = modelFinder(options({ config: { models }, env: { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY } }));
  expect(["main", "openai/gpt-5", "anthropic/claude-opus-5", "scripted/demo"].map((name) => finder(name).name)).toEqual([
    "openai-compatible/qwen/3",
    "openai/gpt-5",
    "anthropic/claude-opus-5",
    "scripted/demo",
  ]);
  expect(finder("main")).toBe(finder("main"));
});

test("[M70] a missing key is named", () => {
  const message = "No key for anthropic. Set ANTHROPIC_API_KEY (or put it into .env), or try the team without a key: colloquy demo";
  expect(faultFrom(() => find("anthropic/claude-opus-5"))).toMatchObject({ code: "model_no_key", retry: "never", message });
  const own = { provider: "openai", id: "gpt-5", apiKeyEnv: "MY_KEY" } as const;
  expect(faultFrom(() => find("own", { config: { models: { own } }, env: { OPENAI_API_KEY: KEY } })).message).toContain("Set MY_KEY");
});

test("[M121] an unknown name is refused with the likely one and the known ones", () => {
  const models = { main: { provider: "scripted", id: "demo" } } as const;
  expect(faultFrom(() => find("mian", { config: { models } }))).toMatchObject({
    code: "model_unknown",
    message: 'There is no model "mian". Did you mean "main"? Known: main, openai/…, anthropic/…, scripted/…. colloquy models lists them.',
  });
  expect(faultFrom(() => find("scripted/dmeo")).message).toBe(
    'There is no script "dmeo". Did you mean "demo"? Known: demo. A script of your own is a file scripts/dmeo.yaml.',
  );
  expect(faultFrom(() => find("scripted/../demo")).code).toBe("model_unknown");
  expect(faultFrom(() => find("x", { config: { models: { x: { provider: "openai-compatible", id: "q" } } } })).message).toContain(
    "needs baseURL",
  );
});

test("[M122] a project's script takes precedence over a built-in one", async () => {
  const builtIn = await mkdtemp(join(tmpdir(), "colloquy-models-"));
  await writeFile(join(builtIn, "demo.yaml"), "rules:\n  - do: { say: built in }\n");
  const [first, second] = await Promise.all([
    ask(find("scripted/demo", { scriptsDir: dir, builtInScriptsDir: builtIn }), [user("a")]),
    ask(find("scripted/demo", { builtInScriptsDir: builtIn }), [user("a")]),
  ]);
  expect([first[1], second[1]]).toMatchObject([{ text: "Hello" }, { text: "built in" }]);
  await rm(builtIn, { recursive: true });
});

test("[M123] a broken script is reported with its lines, and reread once repaired", async () => {
  await writeFile(join(dir, "bad.yaml"), 'rules:\n  - when: { text: "/(/" }\n    do: { say: a }\n');
  await expect(loadScript(join(dir, "bad.yaml"), "scripts/bad.yaml")).rejects.toThrow(
    /^scripts\/bad\.yaml:2: rules\[0\]\.when: \/\(\/ is no pattern/,
  );
  const model = find("scripted/bad");
  expect(await faultIn(ask(model, [user("a")]))).toMatchObject({ code: "model_unknown", retry: "never" });
  await writeFile(join(dir, "bad.yaml"), "rules:\n  - do: { say: good }\n");
  expect((await ask(model, [user("a")]))[1]).toMatchObject({ text: "good" });
  await expect(loadScript(join(dir, "gone.yaml"))).rejects.toThrow(/gone\.yaml cannot be read/);
});

test("[M123] a pipe, a folder, a huge file or nested aliases as a script get an error", async () => {
  execFileSync("mkfifo", [join(dir, "pipe.yaml")]);
  await mkdir(join(dir, "folder.yaml"));
  await writeFile(join(dir, "huge.yaml"), "#".repeat(5_000_001));
  const bomb = Array.from({ length: 30 }, (_, nth) => `a${nth + 1}: &a${nth + 1} [*a${nth}, *a${nth}, *a${nth}]`).join("\n");
  await writeFile(join(dir, "bomb.yaml"), `a0: &a0 [x, x]\n${bomb}\nrules: *a30\n`);
  const says = { pipe: "it is not a file", folder: "cannot be read", huge: "5000000 are allowed", bomb: "aliases cannot be resolved" };
  for (const [name, why] of Object.entries(says)) {
    const refused = loadScript(join(dir, `${name}.yaml`), `scripts/${name}.yaml`);
    await expect(refused).rejects.toMatchObject({ code: "model_unknown", message: expect.stringContaining(why) as string });
  }
});

test("[M124] models with a shared rate limit share a lane", () => {
  const env = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY, SECOND: KEY };
  const models = {
    a: { provider: "openai-compatible", id: "x", baseURL: "http://127.0.0.1:1/v1" },
    b: { provider: "openai-compatible", id: "y", baseURL: "http://127.0.0.1:1/v1" },
    c: { provider: "openai-compatible", id: "x", baseURL: "http://127.0.0.1:2/v1" },
    d: { provider: "openai", id: "gpt-5", apiKeyEnv: "SECOND" },
  } as const;
  const key = (name: string) => find(name, { config: { models }, env }).provider;
  expect(key("a")).toBe(key("b"));
  expect(key("openai/gpt-5")).toBe(key("openai/gpt-4o"));
  expect(new Set(["a", "c", "d", "openai/gpt-5", "anthropic/claude-opus-5", "scripted/demo"].map(key)).size).toBe(6);
});

test("[M94] configured prices and context windows take precedence over the table", () => {
  const env = { OPENAI_API_KEY: KEY };
  const models = { own: { provider: "openai", id: "gpt-5", contextWindow: 5, price: { input: 1, output: 2 } } } as const;
  expect(find("own", { config: { models }, env })).toMatchObject({ contextWindow: 5, price: { input: 1, output: 2 } });
  expect(find("openai/gpt-5", { env })).toMatchObject({ contextWindow: 400_000, price: { input: 1.25, output: 10 } });
  expect(find("openai/gpt-unheard-of", { env }).price).toBeUndefined();
});

test("[M130] the list shows configured models, which keys are set, and local servers", async () => {
  const fetch = (async (url: string) => {
    if (String(url).includes(":11434")) return Response.json({ data: [{ id: "llama" }] });
    if (String(url).includes(":8080")) return new Response("<html>");
    throw new TypeError("fetch failed");
  }) as unknown as typeof globalThis.fetch;
  const models = {
    main: { provider: "openai", id: "gpt-5" },
    mine: { provider: "openai-compatible", id: "q", baseURL: "http://127.0.0.1:8080/v1" },
  } as const;
  const list = await listModels(options({ config: { models }, env: { ANTHROPIC_API_KEY: KEY }, fetch }));
  expect(list).toMatchObject({
    configured: [
      { name: "main", keyEnv: "OPENAI_API_KEY", isReady: false, price: { input: 1.25 } },
      { name: "mine", keyEnv: undefined, isReady: true, price: undefined },
    ],
    keys: [
      { provider: "anthropic", env: "ANTHROPIC_API_KEY", isSet: true },
      { provider: "openai", env: "OPENAI_API_KEY", isSet: false },
    ],
    scripts: ["demo"],
    local: [{ server: "ollama", baseURL: "http://127.0.0.1:11434/v1", models: ["llama"] }],
  });
  expect(new Set(list.available.map(({ provider }) => provider))).toEqual(new Set(["anthropic"]));
  expect(JSON.stringify(list)).not.toContain(KEY);
});

test("[M135] a test call shows whether a model answers and calls tools", async () => {
  await using fake = await fakeProvider();
  fake.reply({ parts: [{ call: "report", input: { word: "ready" } }] }, { parts: [{ say: "ready" }] }, { status: 401, body: {} });
  const model = modelAt(fake, { provider: "openai-compatible", id: "qwen-tiny" });
  const host = new URL(fake.url).host;
  const signal = new AbortController().signal;
  expect(await testModel(model, signal)).toMatchObject({
    ok: true,
    callsTools: true,
    message: `qwen-tiny at ${host} answers and calls tools.`,
  });
  expect(await testModel(model, signal)).toMatchObject({
    ok: false,
    message: `qwen-tiny at ${host} did not call the tool that it was asked to. Give this agent "asks: text" or another model.`,
  });
  expect(await testModel(model, signal)).toMatchObject({ ok: false, fault: { code: "model_wrong_key" } });
  // Not forced: newer models refuse that.
  expect(fake.requests[0]?.body).not.toHaveProperty("tool_choice");
});
