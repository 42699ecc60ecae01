import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type DocumentDisk, realDocumentDisk } from "./document-disk.ts";
import { fileDocuments, fingerprint } from "./documents.ts";

const PATH = "tasks/shop.tsk/goals.md";

function folder(change: Partial<DocumentDisk> = {}) {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-docs-"));
  return {
    dir,
    documents: fileDocuments(dir, { ...realDocumentDisk, ...change }),
    text: () => readFileSync(join(dir, PATH), "utf8"),
    names: () => readdirSync(join(dir, "tasks/shop.tsk")),
  };
}

test("[N33] a write is reported only when file and names are durable up to the project's folder", async () => {
  const told: string[] = [];
  const of = (path: string) => path.slice(path.indexOf("colloquy-docs-") + 20);
  const { documents, dir } = folder({
    writeSynced: async (path, text) => {
      await realDocumentDisk.writeSynced(path, text);
      told.push(`safe ${of(path)}`);
    },
    rename: (from, to) => {
      realDocumentDisk.rename(from, to);
      told.push(`named ${of(to)}`);
    },
    syncFolder: async (path) => void told.push(`folder ${of(path)}`),
  });
  expect(await documents.swap(PATH, "", "Sell.")).toBe("written");
  const folders = ["folder /tasks/shop.tsk", "folder /tasks", `folder ${of(dir)}`];
  expect(told).toEqual(["safe /tasks/shop.tsk/.goals.md.draft", "named /tasks/shop.tsk/goals.md", ...folders]);
  told.length = 0;
  // Once more, as after a crash, when nobody knows whether its name was durable.
  expect(await documents.swap(PATH, "", "Sell.")).toBe("written");
  expect(told).toEqual(folders);
});

test("[N7] a manual edit during a write wins, and no draft is left", async () => {
  const { documents, dir, text, names } = folder({
    writeSynced: async (path, content) => {
      await realDocumentDisk.writeSynced(path, content);
      writeFileSync(join(dir, PATH), "By hand.");
    },
  });
  mkdirSync(join(dir, "tasks/shop.tsk"), { recursive: true });
  writeFileSync(join(dir, PATH), "Old.");
  expect(await documents.swap(PATH, fingerprint("Old."), "New.")).toBe("taken");
  expect([text(), names()]).toEqual(["By hand.", ["goals.md"]]);
});

test("[N6] a foreign version stays, and a removed document is gone", async () => {
  const { documents, text, names } = folder();
  await documents.swap(PATH, "", "One.");
  expect(await documents.swap(PATH, fingerprint("Zero."), "Two.")).toBe("taken");
  expect(text()).toBe("One.");
  expect(await documents.swap(PATH, fingerprint("One."), undefined)).toBe("written");
  expect(names()).toEqual([]);
  expect(await documents.swap(PATH, fingerprint("One."), undefined)).toBe("written");
});

test("[N5] a new document is visible at once, even if its folder was cached as missing", async () => {
  const { documents } = folder({ elapsedMs: () => 0, nowMs: () => Date.now() + 10_000 });
  expect(documents.read(PATH)).toBeUndefined();
  await documents.swap(PATH, "", "Sell.");
  expect(documents.read(PATH)?.text).toBe("Sell.");
});

test("[N32] concurrent changes of one file are serialized, however its path is spelled", async () => {
  let [writing, most] = [0, 0];
  const { documents, text } = folder({
    writeSynced: async (path, content) => {
      most = Math.max(most, (writing += 1));
      await realDocumentDisk.writeSynced(path, content);
      writing -= 1;
    },
  });
  const fates = await Promise.all([documents.swap(PATH, "", "One."), documents.swap(`./${PATH.replace("/", "//")}`, "", "Number two.")]);
  expect([fates, text(), most]).toEqual([["written", "taken"], "One.", 1]);
});

test("[N5] a file read within the clock's resolution is read again, however long ago that was", () => {
  let nowMs = 10_000;
  const stat = () => ({ kind: "file" as const, size: 3, mtimeMs: 10_000 });
  let text = "one";
  const { documents } = folder({ nowMs: () => nowMs, stat, read: () => text });
  expect(documents.read(PATH)?.text).toBe("one");
  text = "two"; // by hand, in the same moment
  nowMs += 5_000;
  expect(documents.read(PATH)?.text).toBe("two");
});

test("[N34] a full disk is a passing fault for a document", async () => {
  const { documents } = folder({ writeSynced: () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" })) });
  await expect(documents.swap(PATH, "", "Sell.")).rejects.toMatchObject({ code: "log_full", retry: "later" });
});

test.each([
  [
    "a document",
    "tasks/shop.tsk/goals.md",
    (dir: string, out: string) => symlinkSync(join(out, "goals.md"), join(dir, "tasks/shop.tsk/goals.md")),
  ],
  ["a Taskdoc", "tasks/evil.tsk/goals.md", (dir: string, out: string) => symlinkSync(out, join(dir, "tasks/evil.tsk"))],
  ["the memory", "memory/team/notes.md", (dir: string, out: string) => symlinkSync(out, join(dir, "memory"))],
  ["the requirements", "prd/search.md", (dir: string, out: string) => symlinkSync(out, join(dir, "prd"))],
  [
    "a second name",
    "tasks/shop.tsk/goals.md",
    (dir: string, out: string) => linkSync(join(out, "goals.md"), join(dir, "tasks/shop.tsk/goals.md")),
  ],
])("[B18] %s that is a link is neither read nor written", async (_what, path, link) => {
  const out = mkdtempSync(join(tmpdir(), "colloquy-out-"));
  for (const name of ["goals.md", "search.md", "team/notes.md"]) {
    mkdirSync(dirname(join(out, name)), { recursive: true });
    writeFileSync(join(out, name), "Theirs.");
  }
  const { documents, dir } = folder();
  mkdirSync(join(dir, "tasks/shop.tsk"), { recursive: true });
  link(dir, out);
  expect(documents.read(path)).toBeUndefined();
  expect(documents.linkIn(path)).toBeDefined();
  for (const from of ["", fingerprint("Theirs.")])
    await expect(documents.swap(path, from, "Ours.")).rejects.toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("is a link") as string,
    });
  expect(new Set(readdirSync(out, { recursive: true, encoding: "utf8" }))).toEqual(
    new Set(["goals.md", "search.md", "team", "team/notes.md"]),
  );
  expect(readFileSync(join(out, "goals.md"), "utf8")).toBe("Theirs.");
});

test("[B18] a link created during a write is detected before the rename", async () => {
  const out = mkdtempSync(join(tmpdir(), "colloquy-out-"));
  const { documents, dir } = folder({
    writeSynced: async (path, text, root) => {
      await realDocumentDisk.writeSynced(path, text, root);
      renameSync(join(dir, "tasks/shop.tsk"), join(dir, "away"));
      symlinkSync(out, join(dir, "tasks/shop.tsk"));
    },
  });
  await expect(documents.swap(PATH, "", "Sell.")).rejects.toMatchObject({ code: "bad_request" });
  expect(readdirSync(out)).toEqual([]);
});

test("[B18] a link in the draft's place is not written through", async () => {
  const out = join(mkdtempSync(join(tmpdir(), "colloquy-out-")), "theirs");
  writeFileSync(out, "Theirs.");
  const { documents, dir, text } = folder();
  mkdirSync(join(dir, "tasks/shop.tsk"), { recursive: true });
  linkSync(out, join(dir, "tasks/shop.tsk/.goals.md.draft"));
  expect(await documents.swap(PATH, "", "Sell.")).toBe("written");
  expect([text(), readFileSync(out, "utf8")]).toEqual(["Sell.", "Theirs."]);
});
