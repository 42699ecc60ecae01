import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { page, pages } from "../../testing/src/documentation.ts";
import { packedFolder, root, run } from "./packed-folder.ts";

const globals = readFileSync(fileURLToPath(new URL("./fixtures/globals.d.ts.txt", import.meta.url)), "utf8");

/** What the page about tests leaves to its reader, for programs that run. */
const TEAM = `
import { defineAgent, defineTool } from "colloquy";
import { ask, call, say } from "colloquy/testing";
import { z } from "zod";

class TestBank {
  refunds = [];
}
const team = (bank) => {
  const refund = defineTool({
    name: "refund",
    description: "Pays.",
    input: z.object({ orderId: z.string(), cents: z.number() }),
    approval: ({ cents }) => cents > 5_000,
    repeatable: true,
    run: (_, { callId }) => void (bank.refunds.includes(callId) || bank.refunds.push(callId)),
  });
  return [
    defineAgent({ id: "lead", role: "You lead.", default: true }),
    defineAgent({ id: "clerk", role: "You pay.", tools: [refund] }),
  ];
};
const [lead, clerk] = team(new TestBank());
const script = {
  lead: [ask("clerk", "check 1042"), say("Refunded.")],
  clerk: [call("refund", { orderId: "1042", cents: 9_000 }), say("done")],
};
Object.assign(globalThis, { TestBank, team, lead, clerk, script });
`;

test("[LB24] the tests on the page about tests pass unchanged", async () => {
  const [first, second] = page("docs/TESTING.md").blocks;
  const dir = packedFolder(
    {
      "team.ts": TEAM,
      "vitest.config.js": 'export default { test: { globals: true, testTimeout: 60_000, setupFiles: ["./team.ts"] } };',
      "first.test.ts": first?.text ?? "",
      "second.ts": second?.text ?? "",
      "second.test.ts": 'test("a crash at every commit", () => import("./second.ts"));',
    },
    ["vitest"],
  );
  const ran = await run(dir, [join(root, "node_modules/vitest/vitest.mjs"), "run"], { NO_COLOR: "1" });
  expect(ran).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/Tests +2 passed/) });
});

/** Pages whose blocks are whole files; other tests run them. */
const RUN = ["README.md", "docs/FIRST-TEAM.md"];

test("[LB24] TypeScript on the pages compiles against the published package", async () => {
  const shown = pages()
    .filter(({ name }) => !RUN.includes(name))
    .flatMap(({ name, blocks }) => blocks.filter(({ language }) => /^tsx?$/.test(language)).map((block) => ({ name, ...block })));
  // A block may say which file it is; otherwise its name says where its lines come from. Each module has its own scope.
  const files = shown.map(({ name, line, language, text }) => [
    /^\/\/ (\S+\.tsx?)\n/.exec(text)?.[1] ?? `${basename(name, ".md")}-${line}.${language}`,
    `${text}\nexport {};\n`,
  ]);
  expect(files.length).toBeGreaterThan(12);
  const compilerOptions = {
    module: "preserve",
    moduleResolution: "bundler",
    target: "es2022",
    lib: ["es2022", "esnext.disposable", "dom", "dom.iterable"],
    jsx: "react-jsx",
    strict: true,
    noEmit: true,
    types: ["node"],
  };
  const dir = packedFolder(
    { ...Object.fromEntries(files), "globals.d.ts": globals, "tsconfig.json": JSON.stringify({ compilerOptions }) },
    ["@types/node", "@types/react", "react", "undici-types", "csstype"],
  );
  expect(await run(dir, [join(root, "node_modules/typescript/bin/tsc"), "-p", "."])).toEqual({ code: 0, out: "", err: "" });
});

test("[LB32] pages and examples have no syntax that Node 22 does not know", () => {
  const shown = pages().flatMap(({ name, blocks }) => blocks.map(({ language, text }) => ({ name, language, text })));
  const examples = globSync("examples/*/*.ts", { cwd: root }).map((name) => ({
    name,
    language: "ts",
    text: readFileSync(join(root, name), "utf8"),
  }));
  expect(examples.length).toBeGreaterThan(4);
  const young = [...shown, ...examples].filter(({ language, text }) => /^tsx?$/.test(language) && /^\s*(?:await )?using \w/m.test(text));
  expect(young.map(({ name }) => name)).toEqual([]);
});
