// Commands against the code that runs them. Colloquy is copied into the project and started from there.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { use, withoutLayers } from "../testing.ts";

const repository = fileURLToPath(new URL("../../../../..", import.meta.url));

/** The project is the checkout of Colloquy that runs the commands. Its other packages are those of this checkout. */
function ownCheckout(): string {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-checkout-"));
  cpSync(join(repository, "packages/runtime"), join(dir, "packages/runtime"), { recursive: true });
  mkdirSync(join(dir, "node_modules/zod"), { recursive: true });
  writeFileSync(join(dir, "package.json"), JSON.stringify({ name: "colloquy", type: "module", dependencies: { zod: "4" } }));
  for (const name of readdirSync(join(repository, "node_modules")))
    if (name !== "zod" && !name.startsWith(".")) symlinkSync(join(repository, "node_modules", name), join(dir, "node_modules", name));
  cpSync(join(repository, "node_modules/zod"), join(dir, "node_modules/zod"), { recursive: true });
  return dir;
}

test("[H28] commands cannot change the code that runs them, nor move the folders it is in", () => {
  const dir = ownCheckout();
  const commands = [
    "echo 'process.exit()' > packages/runtime/src/tools/files/files.worker.ts",
    "rm -rf packages/runtime/src/tools/files/files.worker.ts",
    "mv packages p; mv packages/runtime r; mv node_modules n; mv node_modules/zod z; mv package.json x",
    "mkdir packages/runtime/src/node_modules; mkdir -p packages/runtime/node_modules/zod",
    "rm -rf node_modules; ln -sfn /tmp packages; cp -rT docs packages",
    "echo {} > package.json; echo x > node_modules/zod/package.json; echo x > node_modules/new.js",
    "mkdir -p docs && echo fine > docs/a.md",
  ];
  const script = `import { tryToUse } from ${JSON.stringify(join(dir, "packages/runtime/src/tools/testing.ts"))};
    for (const command of ${JSON.stringify(commands)}) console.log((await tryToUse(${JSON.stringify(dir)}, "run_command", { command })).text);`;
  const before = readFileSync(join(dir, "packages/runtime/src/tools/files/files.worker.ts"), "utf8");
  const text = execFileSync(process.execPath, ["--input-type=module-typescript", "--eval", script], { encoding: "utf8" });
  expect(text.match(/Read-only file system|Device or resource busy/g)?.length).toBeGreaterThan(8);
  expect(readFileSync(join(dir, "packages/runtime/src/tools/files/files.worker.ts"), "utf8")).toBe(before);
  expect(JSON.parse(readFileSync(join(dir, "package.json"), "utf8"))).toMatchObject({ name: "colloquy" });
  expect(
    ["packages/runtime/src/node_modules", "packages/runtime/node_modules", "node_modules/new.js"].filter((path) =>
      existsSync(join(dir, path)),
    ),
  ).toEqual([]);
  expect(readFileSync(join(dir, "docs/a.md"), "utf8")).toBe("fine\n");
});

describe.each([
  ["on a layer", {}],
  ["without layers", { status: withoutLayers }],
] as const)("%s", (_way, shell) => {
  test("[H28] a file that npx would start instead of us is not left in the project", async () => {
    const dir = mkdtempSync(join(tmpdir(), "colloquy-npx-"));
    const command =
      "mkdir -p node_modules/.bin node_modules/lodash node_modules/colloquy; echo x > node_modules/.bin/colloquy; ln -s /bin/true node_modules/.bin/node; echo x > node_modules/.bin/tsc";
    const text = await use(dir, "run_command", { command }, { shell });
    expect(text).toMatch(/^Exit code 0\.\nTools may not make .*node_modules\/\.bin\/colloquy/);
    expect(readdirSync(join(dir, "node_modules")).toSorted()).toEqual([".bin", "lodash"]);
    expect(readdirSync(join(dir, "node_modules/.bin"))).toEqual(["tsc"]);
  });
  test("[H28] nor by a link to where it is", async () => {
    const dir = mkdtempSync(join(tmpdir(), "colloquy-npx-"));
    const command = "mkdir -p m/.bin; echo x > m/.bin/colloquy; ln -s m node_modules; ln -s m n";
    expect(await use(dir, "run_command", { command }, { shell })).toMatch(/^Exit code 0\.\nTools may not make/);
    expect(existsSync(join(dir, "node_modules/.bin/colloquy"))).toBe(false);
  });
});
