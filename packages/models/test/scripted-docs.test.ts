import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Model, type ModelChunk, scriptedModel } from "../src/index.ts";
import { loadScript } from "../src/scripted/load-script.ts";
import { ask, called, call, faultIn, result, said, user } from "./support.ts";

const words = (chunks: readonly ModelChunk[]) => chunks.flatMap((chunk) => (chunk.type === "saying.chunk" ? [chunk.text] : [])).join("");

test("[M110] the guide's scripts are valid, and do what the guide says", async () => {
  const guide = await readFile(new URL("../../../docs/SCRIPTED-MODEL.md", import.meta.url), "utf8");
  const dir = await mkdtemp(join(tmpdir(), "colloquy-scripts-"));
  const models: Model[] = [];
  for (const [at, [, text = ""]] of [...guide.matchAll(/```yaml\n(.*?)```/gs)].entries()) {
    const file = join(dir, `${at}.yaml`);
    await writeFile(file, text);
    models.push(scriptedModel("scripted/it", { ...(await loadScript(file)), speed: undefined }, { sleep: async () => {} }));
  }
  await rm(dir, { recursive: true });

  const [hello, tool, team, bad] = models;
  if (!hello || !tool || !team || !bad || models.length !== 4) throw new Error("the guide has other examples than this test");
  expect(words(await ask(hello, [user("hi")]))).toBe("Hello! You said: hi");

  expect(await ask(tool, [user("What is in src?")])).toContainEqual({
    type: "call",
    tool: "list_dir",
    input: { path: "src" },
    opaque: { rule: 2 },
  });
  const looked = [user("What is in src?"), said("scripted/it", called(call("a"), "list_dir")), result(call("a"), "x.ts")];
  expect(words(await ask(tool, looked))).toBe("I found this:\n\nx.ts");

  const greeted = [user("hi"), said("scripted/it", { saying: "Good morning.", opaque: { rule: 1 } })];
  expect(words(await ask(team, [user("hi")]))).toContain("Good morning");
  expect(words(await ask(team, [...greeted, user("There is a bug!")]))).toContain("sounds like a bug");
  expect(words(await ask(team, [...greeted, user("a shop")]))).toBe("Noted: a shop");
  expect(words(await ask(team, [user("tests")], { agent: "tester" }))).toContain('"summary": "tester has done: tests"');

  expect(await faultIn(ask(bad, [user("hi")]))).toMatchObject({ code: "model_overloaded", retryAfterMs: 200 });
  await faultIn(ask(bad, [user("hi")]));
  expect(words(await ask(bad, [user("hi")]))).toContain("third attempt");
  expect(await faultIn(ask(bad, [user("my quota?")]))).toMatchObject({
    code: "model_no_credit",
    message: "The account is empty, the script says.",
  });
});
