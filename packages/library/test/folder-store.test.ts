import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openProject } from "../src/index.ts";

const written = (store: string, project = "shop") => JSON.stringify({ store, project, id: "1" });

/** Opens a folder with something in the place of `.dialogs/store.json`. */
async function opened(make: (path: string) => void): Promise<{ readonly code: string; readonly message: string }> {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-folder-store-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "colloquy.yaml"), "defaults: { model: scripted/demo }\n");
  mkdirSync(join(dir, ".dialogs"));
  make(join(dir, ".dialogs/store.json"));
  return openProject({ dir, env: {} }).then(
    () => ({ code: "opened", message: "" }),
    (error: unknown) => error as { code: string; message: string },
  );
}

test("[PG28] the address in a folder's store.json is shown, not used", async () => {
  const { code, message } = await opened((path) => writeFileSync(path, written("postgres://anna@192.0.2.1:5432/work")));
  expect(code).toBe("store_unfit");
  expect(message).toContain('If that is your database, name it: --store "postgres://anna@192.0.2.1:5432/work?project=shop"');
});

test.for([
  ["a substitution", written("postgres://h/db$(id)")],
  ["backquotes", written("postgres://h/db`id`")],
  ["a second command", written("postgres://h/db", 'shop"; id; "')],
  ["escape codes", written("postgres://h/db\u001b]0;x\u0007")],
  ["bidirectional marks", written("postgres://h/db\u202e")],
  ["another protocol", written("http://h/db")],
  ["no text", JSON.stringify({ store: ["postgres://h/db"], project: "shop", id: "1" })],
  ["a list", "[]"],
  ["nothing", ""],
] as const)("[PG28] %s in it is refused and not repeated", async ([, content]) => {
  const { code, message } = await opened((path) => writeFileSync(path, content));
  expect(code).toBe("store_unfit");
  expect(message).toMatch(/store\.json names no database\. Remove it/);
  expect(message).not.toMatch(/[$`;\p{Cc}\p{Cf}]|http:/u);
});

const ODD: readonly (readonly [kind: string, make: (path: string) => void])[] = [
  ["a pipe", (path) => void execFileSync("mkfifo", [path])],
  ["an endless device", (path) => symlinkSync("/dev/zero", path)],
  ["a folder", (path) => mkdirSync(path)],
];

test.for(ODD)("[PG28] %s in its place is refused at once", async ([, make]) => {
  expect((await opened(make)).code).toBe("store_unfit");
});
