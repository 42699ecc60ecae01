import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { Refused } from "@colloquy/schema";
import { Breath } from "./breath.ts";
import { FILE_VERSION, FileHeader, FileRecord } from "./file-record.ts";

/** A record or a log line larger than this is none of ours. */
const MAX_RECORD_BYTES = 128 * 1024 * 1024;
/** Ours inflate to some ten times their size. What inflates far more is made to fill disks. */
const MAX_RATIO = 200;
/** Small files may inflate more: a log that repeats itself. */
const SMALL_BYTES = 256 * 1024 * 1024;

type FileEnd = Extract<FileRecord, { is: "end" }>;

/** A record, or a log line as it is in the file. */
export type FileItem = Exclude<FileRecord, FileEnd> | { readonly is: "line"; readonly text: string };

export const refusedFile = (why: string): Refused => new Refused({ code: "bad_request", message: `${why} Nothing was imported.` });

/** Reads a file of dialogs record by record. Checks sizes and that it is whole; throws `Refused` with what is wrong. */
export class FileReader {
  readonly #records: AsyncGenerator<string>;
  readonly #all = createHash("sha256");
  #tree = createHash("sha256");
  #trees = 0;
  /** Of the whole file, once it was read to its end. */
  sha256 = "";

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#records = inflatedLines(source);
  }

  /** Every record after the header but the last, which is checked. */
  async *items(): AsyncGenerator<FileItem> {
    const breath = new Breath();
    await this.#demandHeader();
    for await (const text of this.#records) {
      await breath.pause();
      const item = itemOf(text);
      if (item.is === "end") return this.#demandWhole(item);
      this.#all.update(text).update("\n");
      if (item.is === "tree") this.#tree = createHash("sha256");
      if (item.is === "tree end") this.#demandWholeTree(item);
      else this.#tree.update(text).update("\n");
      yield item;
    }
    throw refusedFile("The file is cut off: its end is missing.");
  }

  async #demandHeader(): Promise<void> {
    const { value: text, done } = await this.#records.next();
    const read = FileHeader.safeParse(done ? undefined : parsed(text));
    if (!read.success || text === undefined) throw refusedFile("This is no file that colloquy export made.");
    if (read.data.version > FILE_VERSION)
      throw refusedFile(`A newer version of Colloquy made this file (format ${read.data.version}). Update Colloquy to import it.`);
    this.#all.update(text).update("\n");
  }

  async #demandWhole({ trees, sha256 }: FileEnd): Promise<void> {
    if (trees !== this.#trees || this.#all.digest("hex") !== sha256) throw damaged();
    this.sha256 = sha256;
    if (!(await this.#records.next()).done) throw refusedFile("The file continues after its end.");
  }

  #demandWholeTree({ sha256 }: Extract<FileRecord, { is: "tree end" }>): void {
    this.#trees += 1;
    if (this.#tree.digest("hex") !== sha256) throw damaged();
  }
}

const damaged = (): Refused => refusedFile("The file is damaged: a checksum is wrong. Export it again.");

function itemOf(text: string): FileItem | FileEnd {
  if (text.startsWith('{"v":')) return { is: "line", text };
  const read = FileRecord.safeParse(parsed(text));
  if (read.success) return read.data;
  throw refusedFile("The file is damaged: it has a record that colloquy export does not write.");
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === "string" ? (JSON.parse(text) as unknown) : undefined;
  } catch {
    return undefined; // the caller says what was expected
  }
}

/** Lines of the unzipped file, as long as their size is that of a file of ours. */
async function* inflatedLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let read = 0;
  let inflated = 0;
  const counted = async function* () {
    for await (const part of source) {
      read += part.length;
      yield part;
    }
  };
  const zipped = Readable.from(counted(), { objectMode: false });
  const unzipped = createGunzip();
  zipped.on("error", (error) => unzipped.destroy(error));
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of zipped.pipe(unzipped) as AsyncIterable<Buffer>) {
      inflated += chunk.length;
      if (inflated > Math.max(SMALL_BYTES, read * MAX_RATIO)) throw refusedFile("The file unpacks to far more than an export has.");
      let from = 0;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
        yield decoder.decode(Buffer.concat([...parts, chunk.subarray(from, at)]));
        [parts, length, from] = [[], 0, at + 1];
      }
      parts.push(chunk.subarray(from));
      length += chunk.length - from;
      if (length > MAX_RECORD_BYTES) throw refusedFile(`The file has a record of more than ${MAX_RECORD_BYTES / 1024 / 1024} MB.`);
    }
  } catch (error) {
    throw readingProblem(error);
  } finally {
    zipped.destroy();
    unzipped.destroy();
  }
  if (length > 0) throw refusedFile("The file is cut off: its last record is incomplete.");
}

function readingProblem(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (error instanceof Refused || typeof code !== "string") return error;
  if (code === "Z_BUF_ERROR") return refusedFile("The file is cut off: it ends too early.");
  if (code === "Z_DATA_ERROR" && /header/.test(String((error as Error).message)))
    return refusedFile("This is no file that colloquy export made.");
  if (code.startsWith("Z_")) return refusedFile("The file is damaged: it cannot be unpacked.");
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return refusedFile("The file is damaged: it is not text.");
  return error;
}
