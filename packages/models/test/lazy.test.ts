import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("[M150] neither a scripted model nor finding a model loads a provider's library", async () => {
  const index = new URL("../src/index.ts", import.meta.url).href;
  const code = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ resolve(name, context, next) { if (/^(@ai-sdk|ai$|yaml$)/.test(name)) loaded.push(name); return next(name, context); } });
    const { modelFinder, scriptedModel } = await import(${JSON.stringify(index)});
    const request = { system: [], messages: [{ role: "user", text: "hi" }], tools: [], agent: "a", course: 1, step: 1, dialog: "d", sessionId: undefined };
    for await (const _ of scriptedModel("scripted/x", { rules: [{ do: { say: "hi" } }] }).stream(request, new AbortController().signal));
    modelFinder({ config: { models: {} }, env: { OPENAI_API_KEY: "k" }, scriptsDir: "/nowhere" })("openai/gpt-5");
    console.log(JSON.stringify(loaded));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--no-warnings", "--eval", code]);
  expect(JSON.parse(stdout)).toEqual([]);
});
