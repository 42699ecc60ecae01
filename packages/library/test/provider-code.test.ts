// What an agent can write is never loaded as a model's provider.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openProject } from "@colloquy/library";
import { type Model, modelFinder } from "@colloquy/models";
import { sandboxStatus } from "@colloquy/runtime";
import { call, say, toldModel } from "@colloquy/testing/internals";
import { expect, test } from "vitest";

type Files = Readonly<Record<string, string>>;
type Call = readonly [tool: string, input: Readonly<Record<string, unknown>>];

const write = (path: string, content: string): Call => ["write_file", { path, content }];
const run = (command: string): Call => ["run_command", { command }];

const PACKAGES: Files = {
  "node_modules/prov/package.json": JSON.stringify({ name: "prov", main: "it.js", dependencies: { dep: "1", "@s/deep": "1", later: "1" } }),
  "node_modules/prov/it.js": `for (const name of ["dep", "@s/deep", "later"]) try { require(name); } catch {}`,
  "node_modules/dep/package.json": JSON.stringify({
    name: "dep",
    peerDependencies: { opt: "1" },
    peerDependenciesMeta: { opt: { optional: true } },
  }),
  "node_modules/dep/index.js": `try { require("opt"); } catch {}`,
  "node_modules/@s/deep/index.js": "",
  "node_modules/other/index.js": "",
  "vendor/linked/package.json": JSON.stringify({ name: "linked", main: "it.js" }),
  "vendor/linked/it.js": "",
};

/** A project whose settings name providers, and a path outside that only the agent's code writes. */
function ground(files: Files = {}) {
  const around = realpathSync(mkdtempSync(join(tmpdir(), "colloquy-provider-")));
  const dir = join(around, "shop");
  const models = Object.fromEntries(
    ["prov", "linked", "shop", "absent", "@acme/absent"].map((name) => [name, { provider: `npm:${name}`, id: "x" }]),
  );
  const settings = { models, defaults: { model: "told/model" }, agents: { lead: { role: "You lead.", tools: ["files", "shell"] } } };
  for (const [path, text] of Object.entries({
    ...PACKAGES,
    "package.json": `{"name":"shop"}`,
    ...files,
    "colloquy.yaml": JSON.stringify(settings),
  })) {
    mkdirSync(join(dir, dirname(path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  symlinkSync("../vendor/linked", join(dir, "node_modules/linked"));
  const mark = join(around, "pwned");
  return { dir, mark, js: `require("fs").writeFileSync(${JSON.stringify(mark)}, "")` };
}

/** Lets an agent make these calls, then uses every provider, as an agent's step does. */
async function attacked({ dir, mark }: { readonly dir: string; readonly mark: string }, calls: readonly Call[]): Promise<boolean> {
  const model = toldModel({ lead: [...calls.map(([tool, input]) => call(tool, input)), say("Done.")] }, []);
  const project = await openProject({ dir, env: { PATH: process.env.PATH }, findModel: () => model, report: () => undefined });
  try {
    const dialog = await project.dialogs.create({ content: "Go" });
    await project.dialogs.quiet(dialog.id);
  } finally {
    await project.close();
  }
  const { models } = JSON.parse(readFileSync(join(dir, "colloquy.yaml"), "utf8")) as Parameters<typeof modelFinder>[0]["config"];
  const find = modelFinder({ config: { models }, env: {}, scriptsDir: join(dir, "scripts") });
  for (const name of Object.keys(models)) await useModel(find(name)).catch(() => undefined);
  return existsSync(mark);
}

async function useModel(model: Model): Promise<void> {
  const asked = {
    system: [],
    messages: [{ role: "user", text: "hi" }],
    tools: [],
    agent: "lead",
    course: 1,
    step: 1,
    dialog: "lead",
  } as const;
  for await (const chunk of model.stream({ ...asked, sessionId: undefined }, new AbortController().signal)) if (chunk) break;
}

test("[B28] the test detects that a provider's code ran", async () => {
  const place = ground();
  writeFileSync(join(place.dir, "node_modules/prov/it.js"), place.js);
  expect(await attacked(place, [])).toBe(true);
});

const ATTEMPTS: Readonly<Record<string, (js: string) => readonly Call[]>> = {
  "its main file": (js) => [write("node_modules/prov/it.js", js)],
  "another main file": (js) => [write("x.js", js), write("node_modules/prov/package.json", '{"main":"../../x.js"}')],
  "a package that it needs": (js) => [write("node_modules/dep/index.js", js)],
  "a nearer package of the same name": (js) => [write("node_modules/prov/node_modules/dep/index.js", js)],
  "a scoped package that it needs": (js) => [write("node_modules/@s/deep/index.js", js), write("node_modules/@s/deep.js", js)],
  "a package that it needs and that is missing": (js) => [write("node_modules/later/index.js", js)],
  "a file in place of a missing package": (js) => [write("node_modules/later.js", js)],
  "an optional package of a package": (js) => [write("node_modules/opt/index.js", js)],
  "the target of a link in node_modules": (js) => [write("vendor/linked/it.js", js)],
  "a provider that is not installed": (js) => [write("node_modules/absent/index.js", js), write("node_modules/@acme/absent/index.js", js)],
  "the project as the package of that name": (js) => [write("package.json", '{"name":"shop","exports":"./x.js"}'), write("x.js", js)],
  "the project as a package that is not installed": (js) => [
    write("package.json", '{"name":"absent","exports":"./x.js"}'),
    write("x.js", js),
  ],
};
const COMMANDS: Readonly<Record<string, (js: string) => string>> = {
  "its main file": (js) => `echo '${js}' > node_modules/prov/it.js`,
  "its folder, replaced": (js) => `mv node_modules/prov p; cp -r p node_modules/prov; echo '${js}' > node_modules/prov/it.js`,
  "its folder, as a link": (js) => `mkdir q; echo '${js}' > q/index.js; rm -r node_modules/prov; ln -s ../q node_modules/prov`,
  "node_modules, moved": (js) => `mv node_modules m; cp -r m node_modules; echo '${js}' > node_modules/dep/index.js`,
  "a provider that is not installed": (js) => `mkdir -p node_modules/absent; echo '${js}' > node_modules/absent/index.js`,
  "a scope as a link": (js) => `mkdir -p q/absent; echo '${js}' > q/absent/index.js; ln -s ../q node_modules/@acme`,
  "the target of a link": (js) => `echo '${js}' > vendor/linked/it.js; sed -i s/x/y/ vendor/linked/package.json`,
  "a hard link": (js) => `ln node_modules/prov/it.js h; echo '${js}' > h`,
};

test.each(Object.entries(ATTEMPTS))("[B28] file tools cannot make a provider run their code: %s", async (_name, calls) => {
  const place = ground();
  expect(await attacked(place, calls(place.js))).toBe(false);
});

test.runIf(sandboxStatus().isIsolated).each(Object.entries(COMMANDS))("[B28] nor can commands: %s", async (_name, command) => {
  const place = ground();
  expect(await attacked(place, [run(command(place.js))])).toBe(false);
});

test("[B28] other packages stay writable", async () => {
  const { dir, mark } = ground();
  await attacked({ dir, mark }, [write("node_modules/other/index.js", "// mine")]);
  expect(readFileSync(join(dir, "node_modules/other/index.js"), "utf8")).toBe("// mine");
});
