import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { sectionPath, SECTIONS } from "@colloquy/core";
import type { Documents } from "@colloquy/runtime";
import { type Line, PROJECT_STREAM, Refused, type RootId, type StreamId, type TreeEvent } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import { Breath } from "../transfer/breath.ts";
import { BACKUP_VERSION, type BackupHeader, type BackupRecord } from "./backup-record.ts";
import { firstAfter } from "./first-after.ts";

interface Origin {
  readonly store: Store;
  readonly documents: Documents;
  readonly nowMs: number;
}

export interface BackupQuery {
  /** The last commit that a backup has already; by default none. */
  readonly after?: number | undefined;
  /** The project that it is of. Another one is refused. */
  readonly project?: string | undefined;
}

/** Lines read at once: a few milliseconds of work. */
const LINES_AT_ONCE = 50;

/** The commits after a position, as of now, while work goes on. */
export async function writeBackup(origin: Origin, { after = 0, project }: BackupQuery): Promise<AsyncIterable<Uint8Array>> {
  const own = await projectId(origin.store);
  const { pos } = origin.store.health();
  if (project !== undefined && project !== own) throw refused("The backup there is of another project. Choose another folder.");
  if (after > pos) throw refused(`The backup there goes up to commit ${after}, and this project only to ${pos}. Choose another folder.`);
  const made = new Date(origin.nowMs).toISOString();
  const header: BackupHeader = { is: "colloquy backup", version: BACKUP_VERSION, made, project: own, after, pos };
  const text = Readable.from(encoded(origin, header), { objectMode: false });
  const zipped = createGzip();
  // A failure of the source ends the file's stream with the same error.
  text.on("error", (error) => zipped.destroy(error));
  zipped.on("close", () => text.destroy());
  return text.pipe(zipped);
}

const refused = (message: string): Refused => new Refused({ code: "bad_request", message });

/** The first commit of a project is its own. */
async function projectId(store: Store): Promise<string> {
  const [first] = await store.read(PROJECT_STREAM, 0, 1);
  return first ? createHash("sha256").update(JSON.stringify(first)).digest("hex").slice(0, 32) : "";
}

/** The position of a stream's next line. */
interface Cursor {
  readonly stream: StreamId;
  lines: readonly Line[];
  seq: number;
  /** Lines that count from its next commit on. */
  past: number;
  /** Of the blobs that no line named so far. */
  names: readonly string[];
}

async function* encoded({ store, documents }: Origin, header: BackupHeader): AsyncGenerator<string> {
  const all = createHash("sha256");
  const breath = new Breath();
  const written = (record: BackupHeader | BackupRecord): string => {
    const text = `${JSON.stringify(record)}\n`;
    all.update(text);
    return text;
  };
  yield written(header);
  const { after, pos } = header;
  /** By the next commit of each stream. */
  const next = new Map<number, Cursor[]>();
  const goOn = async (cursor: Cursor): Promise<void> => {
    if (cursor.lines.length === 0) cursor.lines = await store.read(cursor.stream, cursor.seq, LINES_AT_ONCE);
    const at = cursor.lines[0]?.pos;
    if (at !== undefined && at <= pos) next.set(at, [...(next.get(at) ?? []), cursor]);
  };
  const trees: RootId[] = [];
  await goOn({ stream: PROJECT_STREAM, lines: [], past: 0, names: [], seq: await firstAfter(store, PROJECT_STREAM, after) });
  for await (const rootId of store.changedSince(after)) {
    await breath.pause();
    const copied = store.entry(rootId)?.copied?.seq;
    const [line] = copied === undefined ? [] : await store.read(rootId, copied - 1, 1);
    const past = copied !== undefined && line && line.pos > after ? copied - 1 : 0;
    const seq = past > 0 ? past : await firstAfter(store, rootId, after, copied);
    trees.push(rootId);
    await goOn({ stream: rootId, lines: [], past, names: await store.blobNames(rootId), seq });
  }
  let commits = 0;
  for (let at = after + 1; at <= pos; at += 1) {
    const cursors = next.get(at);
    // Only commits to dialogs that were deleted are missing.
    if (!cursors) continue;
    next.delete(at);
    const parts: { stream: StreamId; line: Line }[] = [];
    for (const cursor of cursors) {
      const [line, ...rest] = cursor.lines;
      if (!line) continue;
      if (cursor.stream !== PROJECT_STREAM) {
        const names = namesIn(cursor, line);
        const blobs = names.length > 0 ? await blobsOf(store, cursor.stream, names) : [];
        if (cursor.past > 0) yield written({ ...(await pastOf(store, cursor.stream, cursor.past)), blobs });
        else for (const blob of blobs) yield written({ is: "blob", stream: cursor.stream, ...blob });
      }
      parts.push({ stream: cursor.stream, line });
      cursor.past = 0;
      cursor.lines = rest;
      cursor.seq = line.seq + line.events.length - 1;
      await goOn(cursor);
    }
    commits += 1;
    yield written({ is: "commit", parts: parts as never });
    await breath.pause();
  }
  for (const rootId of trees) for (const document of await taskdocOf(store, documents, rootId)) yield written(document);
  yield `${JSON.stringify({ is: "end", commits, sha256: all.digest("hex") } satisfies BackupRecord)}\n`;
}

/** The blobs that a line names for the first time; those of a copy that begins with it, all. */
function namesIn(cursor: Cursor, line: Line): readonly string[] {
  if (cursor.names.length === 0) return [];
  const text = JSON.stringify(line.events);
  const named = cursor.past > 0 ? cursor.names : cursor.names.filter((name) => text.includes(name));
  if (named.length > 0) cursor.names = cursor.names.filter((name) => !named.includes(name));
  return named;
}

async function blobsOf(store: Store, rootId: RootId, names: readonly string[]) {
  const blobs: { name: string; base64: string }[] = [];
  for (const name of names) {
    const content = await store.getBlob(rootId, name);
    if (content) blobs.push({ name, base64: Buffer.from(content).toString("base64") });
  }
  return blobs;
}

async function pastOf(store: Store, stream: RootId, past: number) {
  const lines = (await store.read(stream, 0)).filter(({ seq }) => seq <= past);
  return { is: "past" as const, stream, lines: lines as never, blobs: [] };
}

async function taskdocOf(store: Store, documents: Documents, rootId: RootId): Promise<readonly BackupRecord[]> {
  const [first] = (await store.read(rootId, 0, 1)) as readonly Line<TreeEvent>[];
  const created = first?.events[0];
  if (created?.type !== "dialog.created" || created.taskDocPath === "") return [];
  await documents.ready?.([created.taskDocPath]);
  return SECTIONS.flatMap((section): BackupRecord[] => {
    const path = sectionPath(created.taskDocPath, section);
    const document = documents.read(path);
    return document ? [{ is: "document", path, text: document.text }] : [];
  });
}
