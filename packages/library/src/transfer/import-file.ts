import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Engine } from "@colloquy/runtime";
import { Refused, type RootId } from "@colloquy/schema";
import { type Signed, signature } from "../dialogs/signed.ts";
import { checkFile } from "./check-file.ts";
import { treeContents } from "./tree-contents.ts";

/** A dialog from a file, and what it is here. */
export interface ImportedDialog {
  /** Its id in the file. */
  readonly from: RootId;
  readonly rootId: RootId;
}

/** The file's path, or its bytes. */
export type ImportSource = string | AsyncIterable<Uint8Array>;

/** Checks a whole file, then makes its dialogs in one commit. Anything wrong with it is refused, and nothing has changed. */
export async function importFile(engine: Engine, source: ImportSource, signed: Signed): Promise<readonly ImportedDialog[]> {
  if (typeof source === "string") return importFrom(engine, source, signed);
  // It is read twice.
  const folder = await mkdtemp(join(tmpdir(), "colloquy-import-"));
  try {
    const path = join(folder, "file");
    await pipeline(Readable.from(source, { objectMode: false }), createWriteStream(path, { mode: 0o600 }));
    return await importFrom(engine, path, signed);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function importFrom(engine: Engine, path: string, signed: Signed): Promise<readonly ImportedDialog[]> {
  const read = (): AsyncIterable<Uint8Array> => createReadStream(path, { highWaterMark: 256 * 1024 });
  const checked = await checkFile(read());
  const imported = await engine.commands.importTrees({
    ...signature(signed),
    trees: checked.trees,
    fingerprint: checked.sha256,
    read: () => treeContents(read(), checked),
  });
  if (!imported.ok) throw new Refused(imported.refusal);
  // Their documents are written from the log, like any change of a document.
  for (const { rootId } of imported.trees) await engine.recovery.takeUp(rootId);
  return imported.trees;
}
