import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { sectionPath, SECTIONS } from "@colloquy/core";
import type { Documents } from "@colloquy/runtime";
import { type Line, Refused, type RootId, shortId, type TreeEvent } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import { blobsOf } from "../copies/fork-dialog.ts";
import { Breath } from "./breath.ts";
import { FILE_VERSION, type FileHeader, type FileRecord } from "./file-record.ts";
import type { z } from "zod";

interface Origin {
  readonly store: Store;
  readonly documents: Documents;
  readonly nowMs: number;
}

/** Lines read at once: a few milliseconds of work. */
const LINES_AT_ONCE = 50;

/**
 * The file of these trees as they are at one commit of the project. What is committed while it is written is left out. Nothing is
 * locked, and little is in memory.
 */
export function exportFile(origin: Origin, trees: readonly RootId[]): AsyncIterable<Uint8Array> {
  const text = Readable.from(encoded(origin, trees), { objectMode: false });
  const zipped = createGzip();
  // A failure of the source ends the file's stream with the same error.
  text.on("error", (error) => zipped.destroy(error));
  zipped.on("close", () => text.destroy());
  return text.pipe(zipped);
}

async function* encoded(origin: Origin, trees: readonly RootId[]): AsyncGenerator<string> {
  const all = createHash("sha256");
  const breath = new Breath();
  let count = 0;
  const written = (text: string): string => (all.update(text), text);
  const { pos } = origin.store.health();
  const header: z.infer<typeof FileHeader> = {
    is: "colloquy export",
    version: FILE_VERSION,
    made: new Date(origin.nowMs).toISOString(),
    pos,
  };
  yield written(`${JSON.stringify(header)}\n`);
  for (const rootId of trees) {
    let isEmpty = true;
    for await (const part of encodedTree(origin, rootId, pos)) {
      isEmpty = false;
      yield written(part);
      await breath.pause();
    }
    if (!isEmpty) count += 1;
  }
  yield line({ is: "end", trees: count, sha256: all.digest("hex") });
}

/** Nothing of a tree that began after `pos`. */
async function* encodedTree({ store, documents }: Origin, rootId: RootId, pos: number): AsyncGenerator<string> {
  const [first] = (await store.read(rootId, 0, 1)) as readonly Line<TreeEvent>[];
  const created = first?.events[0];
  if (!first || created?.type !== "dialog.created" || !(await isThereAt(store, rootId, first, pos))) return;
  const own = createHash("sha256");
  const written = (text: string): string => (own.update(text), text);
  const { taskDocPath } = created;
  yield written(line({ is: "tree", rootId, taskDocPath }));
  for (const section of SECTIONS) {
    const document = documents.read(sectionPath(taskDocPath, section));
    if (document) yield written(line({ is: "section", section, text: document.text }));
  }
  let events = 0;
  for await (const lines of linesUntil(store, rootId, pos)) {
    yield written(lines.map((one) => `${JSON.stringify(one)}\n`).join(""));
    events = lastOf(lines.at(-1) ?? first);
  }
  for await (const { name, content } of blobsOf(store, rootId))
    yield written(line({ is: "blob", name, bytes: content.length, base64: Buffer.from(content).toString("base64") }));
  yield line({ is: "tree end", rootId, events, sha256: own.digest("hex") });
}

const line = (record: FileRecord): string => `${JSON.stringify(record)}\n`;
const lastOf = ({ seq, events }: Line): number => seq + events.length - 1;

/** A copy begins with lines that have the numbers of other commits: it counts from the commit that made it. */
async function isThereAt(store: Store, rootId: RootId, first: Line, pos: number): Promise<boolean> {
  const copied = store.entry(rootId)?.copied?.seq;
  const [line = first] = copied === undefined ? [] : await store.read(rootId, copied - 1, 1);
  return line.pos <= pos;
}

async function* linesUntil(store: Store, rootId: RootId, pos: number): AsyncGenerator<readonly Line<TreeEvent>[]> {
  const past = (store.entry(rootId)?.copied?.seq ?? 1) - 1;
  for (let after = 0; ;) {
    const lines = (await store.read(rootId, after, LINES_AT_ONCE)) as readonly Line<TreeEvent>[];
    const wanted = lines.filter((one) => one.seq <= past || one.pos <= pos);
    const last = wanted.at(-1);
    if (!last) return;
    yield wanted;
    after = lastOf(last);
  }
}

/** Refuses trees that cannot be read before a byte of the file is written. */
export async function demandReadable(store: Store, trees: readonly RootId[]): Promise<void> {
  for (const rootId of trees) {
    const damage = store.damageOf(rootId);
    if (damage !== undefined) throw new Refused({ code: "log_corrupt", message: `${shortId(rootId)} cannot be exported: ${damage}` });
  }
}
