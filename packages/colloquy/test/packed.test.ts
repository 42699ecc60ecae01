import { spawn } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { page } from "../../testing/src/documentation.ts";
import { fakeProvider } from "../../testing/src/fake-provider.ts";
import { expect, test } from "vitest";
import { packedFolder, root, run } from "./packed-folder.ts";

const fixtures = fileURLToPath(new URL("./fixtures", import.meta.url));
const script = join(root, "examples/01-refund/scripts/refund.yaml");
/** `bank.js` of the example: a ledger on disk that recognizes a payment by its key. */
const BANK = `
import { appendFileSync, existsSync, readFileSync } from "node:fs";
export const bank = {
  refund(orderId, cents, { idempotencyKey: key }) {
    const paid = existsSync("bank.jsonl") ? readFileSync("bank.jsonl", "utf8") : "";
    if (!paid.includes(key)) appendFileSync("bank.jsonl", JSON.stringify({ key, orderId, cents }) + "\\n");
    return "paid";
  },
};
`;
const payments = (dir: string): number =>
  existsSync(join(dir, "bank.jsonl")) ? readFileSync(join(dir, "bank.jsonl"), "utf8").trim().split("\n").length : 0;

/** A second process of the user's: it doesn't drive, it only approves. */
const APPROVE = `
import { openProject } from "colloquy";
await using project = await openProject({ dir: ".", drive: false });
for (const { id, shown } of await project.questions.list()) await project.questions.approve(id, { shown, by: "anna" });
`;

const readmeProgram = (): string => page("README.md").blocks.find(({ language }) => language === "ts")?.text ?? "";

const ask = { parts: [{ call: "tellaskSessionless", input: { targetAgentId: "clerk", tellaskContent: "Check 1042." } }] };
const pay = { parts: [{ call: "refund", input: { orderId: "1042", cents: 9_000 } }] };
const say = (words: string) => ({ parts: [{ say: words }] });

test("[LB18] the front page's example runs as written: it asks, is killed, is approved, continues, and pays once", async () => {
  await using provider = await fakeProvider();
  provider.reply(ask, pay, say("Paid."), say("Refunded."));
  const dir = packedFolder({
    "app.ts": readFileSync(join(fixtures, "front-page.ts.txt"), "utf8"),
    "bank.js": BANK,
    "approve.ts": APPROVE,
  });
  const env = { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: provider.url };

  const first = spawn(process.execPath, ["app.ts"], { cwd: dir, env: { PATH: process.env["PATH"] ?? "", ...env } });
  const asked = await new Promise<string>((hear) => first.stdout.once("data", (data: Buffer) => hear(data.toString())));
  expect(asked).toMatch(/^clerk asks: Run refund \{"orderId":"1042","cents":9000\} {2}→ {2}[0-9a-f]{32}\n$/);
  const gone = new Promise((over) => first.once("exit", over));
  first.kill("SIGKILL");
  await gone;
  expect(payments(dir)).toBe(0);

  expect(await run(dir, ["approve.ts"])).toMatchObject({ code: 0 });
  for (let nth = 0; nth < 2; nth++) expect(await run(dir, ["app.ts"], env)).toMatchObject({ code: 0, out: "Refunded.\n", err: "" });
  expect(payments(dir)).toBe(1);
  expect(provider.requests).toHaveLength(4);
});

test("[LB18] so does the README's", async () => {
  await using provider = await fakeProvider();
  provider.reply(ask, pay, say("Paid."), say("Refunded."));
  const dir = packedFolder({ "app.ts": readmeProgram(), "bank.js": BANK });
  const env = { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: provider.url };
  const out = 'clerk asks: Run refund {"orderId":"1042","cents":9000}\nRefunded.\n';
  expect(await run(dir, ["app.ts", "approve"], env)).toEqual({ code: 0, out, err: "" });
  expect(await run(dir, ["app.ts"], env)).toEqual({ code: 0, out: "Refunded.\n", err: "" });
  expect(payments(dir)).toBe(1);
});

test("[LB37] on a Node that is too old, importing the package fails with one line", async () => {
  const old = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.12.0" } });`;
  const dir = packedFolder({ "old.mjs": old, "app.mjs": 'import("colloquy").catch(({ stack }) => console.log(stack));' });
  const out = "Colloquy needs Node 22.13 or later; this is 22.12.0. Install it: https://nodejs.org\n";
  expect(await run(dir, ["--import", "./old.mjs", "app.mjs"])).toEqual({ code: 0, out, err: "" });
});

/** The timer doesn't keep the process alive: it answers only if the pending result does. By then nothing else of the program is left. */
const ANSWERED_LATER = `
import { defineAgent, openProject } from "colloquy";
const lead = defineAgent({ id: "lead", role: "You lead.", model: "scripted/asks" });
const project = await openProject({ dir: ".", agents: [lead] });
const dialog = await project.dialogs.create({ content: "Go" });
setInterval(async () => {
  for (const { id } of await project.questions.list()) await project.questions.answer(id, "Blue");
}, 4_000).unref();
console.log(await dialog.result());
await project.close();
`;
const ASKS = `rules:
  - when: { step: 1 }
    do: { call: { tool: askHuman, input: { tellaskContent: "Which colour?" } } }
  - do: { say: "Done." }
`;

test("[LB33] a program that awaits the result stays alive while a person is asked", async () => {
  const dir = packedFolder({ "app.ts": ANSWERED_LATER, "scripts/asks.yaml": ASKS });
  expect(await run(dir, ["app.ts"])).toEqual({ code: 0, out: "Done.\n", err: "" });
});

test("[LB15] a program that stopped for lack of a key continues once the key is set", async () => {
  await using provider = await fakeProvider();
  provider.reply(ask, pay, say("Paid."), say("Refunded."));
  const dir = packedFolder({ "app.ts": readmeProgram(), "bank.js": BANK });
  for (let nth = 0; nth < 2; nth++) {
    const { code, err } = await run(dir, ["app.ts", "approve"]);
    expect(code).toBe(1);
    expect(err).toContain("No key for anthropic. Set ANTHROPIC_API_KEY");
  }
  const env = { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: provider.url };
  const { code, out } = await run(dir, ["app.ts", "approve"], env);
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/\nRefunded\.\n$/) });
  expect(payments(dir)).toBe(1);
});

/** From a clean folder: one process that dies after its nth commit, and one that continues. */
async function killedAt(dir: string, nth: number, repeatable: "yes" | "no") {
  for (const name of [".dialogs", "bank.jsonl"]) rmSync(join(dir, name), { recursive: true, force: true });
  const env = { REPEATABLE: repeatable };
  expect(await run(dir, ["killed-refund.ts", String(nth)], env)).toMatchObject({ code: "SIGKILL" });
  return run(dir, ["killed-refund.ts"], env);
}

test(
  "[LB19] wherever a process with only the package is killed, the example's refund is paid exactly once",
  { timeout: 240_000 },
  async () => {
    const killed = readFileSync(join(fixtures, "killed-refund.ts.txt"), "utf8");
    const dir = packedFolder({ "killed-refund.ts": killed, "bank.js": BANK, "scripts/refund.yaml": readFileSync(script, "utf8") });
    const { out } = await run(dir, ["killed-refund.ts"], { REPEATABLE: "yes" });
    const commits = Number(out.split("\n")[1]);
    expect(commits).toBeGreaterThan(6);
    let unknown = 0;
    for (let nth = 1; nth <= commits; nth++) {
      const ended = await killedAt(dir, nth, "yes");
      expect(ended).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/^The customer has her money back\.\n/) });
      expect(payments(dir), `killed behind commit ${nth}`).toBe(1);
      // A non-repeatable tool isn't run again: between its start and its result the outcome is unknown, and the agent is told.
      const careful = await killedAt(dir, nth, "no");
      expect(careful).toMatchObject({ code: 0, err: "" });
      const [log = ""] = globSync(join(dir, ".dialogs/*/*/course-001.jsonl"));
      const isUnknown = readFileSync(log, "utf8").includes("unknown");
      expect(payments(dir), `killed behind commit ${nth}, not repeatable`).toBe(isUnknown ? 0 : 1);
      unknown += Number(isUnknown);
    }
    expect(unknown).toBe(1);
  },
);

test.each([
  ["node16", "node16", "es2022"],
  ["nodenext", "nodenext", "es2022"],
  ["preserve", "bundler", "es2022"],
])(
  "[LB17] a program compiles against the package with module %s and moduleResolution %s, and wrong ones do not",
  async (module, moduleResolution, target) => {
    const compilerOptions = {
      module,
      moduleResolution,
      target,
      lib: ["es2022", "esnext.disposable", "dom"],
      jsx: "react-jsx",
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: true,
      noEmit: true,
      skipLibCheck: false,
      types: ["node"],
    };
    const dir = packedFolder(
      { "user.tsx": readFileSync(join(fixtures, "user.tsx.txt"), "utf8"), "tsconfig.json": JSON.stringify({ compilerOptions }) },
      ["@types/node", "@types/react", "react", "undici-types", "csstype"],
    );
    expect(await run(dir, [join(root, "node_modules/typescript/bin/tsc"), "-p", "."])).toEqual({ code: 0, out: "", err: "" });
  },
);

test("[LB30] the compiler explains a wrong program in names from the documentation", async () => {
  const wrong = readFileSync(join(fixtures, "wrong.ts.txt"), "utf8");
  const expected = wrong.split("\n").flatMap((line, nth) => {
    const [, said] = /; \/\/ (.+)$/.exec(line) ?? [];
    return said === undefined ? [] : [{ line: nth + 1, said: expect.stringContaining(said) as string }];
  });
  expect(expected.length).toBeGreaterThan(8);
  const compilerOptions = {
    module: "nodenext",
    target: "es2022",
    lib: ["es2022", "esnext.disposable"],
    strict: true,
    noEmit: true,
    types: ["node"],
  };
  const dir = packedFolder({ "wrong.ts": wrong, "tsconfig.json": JSON.stringify({ compilerOptions }) }, ["@types/node", "undici-types"]);
  const { out } = await run(dir, [join(root, "node_modules/typescript/bin/tsc"), "-p", ".", "--pretty", "false"]);
  const said = [...out.matchAll(/^wrong\.ts\((\d+),\d+\): error TS\d+: (.*)$/gm)].map(([, line, text]) => ({
    line: Number(line),
    said: text,
  }));
  expect(said).toEqual(expected);
  expect(out).not.toContain("$brand");
});

test("[CL20] the browser build imports nothing from Node, and zod in a tree-shakable form", () => {
  const dist = join(packedFolder({}), "node_modules/colloquy/dist");
  const seen = new Set<string>();
  const imports = (file: string): string[] => {
    if (seen.has(file)) return [];
    seen.add(file);
    const found = readFileSync(join(dist, file), "utf8").matchAll(/^(?:import|export) (.*?) ?(?:from )?"([^"]+)";$/gm);
    return [...found].flatMap(([, what = "", from = ""]) => (from.startsWith("./") ? imports(from.slice(2)) : [`${what} from ${from}`]));
  };
  const outside = [...imports("client.js"), ...imports("react.js")];
  expect(outside.filter((one) => !/ from react(?:\/jsx-runtime)?$/.test(one)).every((one) => one === "* as z from zod")).toBe(true);
  expect(outside).toContain("* as z from zod");
});

/** The files of a documentation page: code blocks whose first line is their name. */
const filesOn = (name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    page(name).blocks.flatMap(({ text }) =>
      [...text.matchAll(/^(?:\/\/|#) ([\w./-]+\.\w+)\n(.*)/gsy)].map(([, file = "", code = ""]) => [file, code]),
    ),
  );

test("[LB21] the first team of the documentation does what the page says, and its tests pass", async () => {
  const dir = packedFolder(filesOn("docs/FIRST-TEAM.md"));
  const asked = await run(dir, ["main.ts"]);
  expect(asked).toMatchObject({ code: 0, err: "" });
  expect(asked.out).toMatch(
    /^clerk asks: Run refund \{"orderId":"1042","cents":9000\}\n.*more than 50\.00.*\nAgree with: node main\.ts approve\n$/s,
  );
  for (let nth = 0; nth < 2; nth++)
    expect(await run(dir, ["main.ts", "approve"])).toEqual({ code: 0, err: "", out: "The customer has her money back.\n" });
  expect(readFileSync(join(dir, "paid.txt"), "utf8")).toMatch(/^[0-9a-f]+ 1042 9000\n$/);
  expect((await run(dir, ["--test"])).out).toMatch(/pass 2\n/);
});
