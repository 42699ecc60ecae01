import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { Refused } from "@colloquy/schema";
import { Breath } from "../transfer/breath.ts";
import { BACKUP_VERSION, BackupHeader, BackupRecord } from "./backup-record.ts";

export const refusedBackup = (file: string, why: string): Refused => new Refused({ code: "bad_request", message: `${file}: ${why}` });

/** The lines of a part; a part that cannot be unpacked is refused. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const zipped = createReadStream(path);
  const unzipped = createGunzip();
  zipped.on("error", (error) => unzipped.destroy(error));
  try {
    yield* createInterface({ input: zipped.pipe(unzipped), crlfDelay: Infinity });
    if (unzipped.errored) throw unzipped.errored;
  } catch (error) {
    throw refusedBackup(path, `it is damaged or cut off (${error instanceof Error ? error.message : String(error)}).`);
  } finally {
    zipped.destroy();
    unzipped.destroy();
  }
}

/** What a part says about itself, without reading the rest. */
export async function backupHeader(path: string): Promise<BackupHeader> {
  for await (const text of linesOf(path)) return headerOf(path, text);
  throw refusedBackup(path, "it is empty.");
}

function headerOf(path: string, text: string): BackupHeader {
  const read = BackupHeader.safeParse(parsed(text));
  if (!read.success) throw refusedBackup(path, "it is no part of a backup that colloquy made.");
  if (read.data.version > BACKUP_VERSION) throw refusedBackup(path, "a newer version of Colloquy made it. Update Colloquy.");
  return read.data;
}

/** Every record of a part but its header and end. The last one comes only if the whole part is as it was written. */
export async function* backupRecords(path: string): AsyncGenerator<Exclude<BackupRecord, { is: "end" }>> {
  const all = createHash("sha256");
  const breath = new Breath();
  let isFirst = true;
  let end: Extract<BackupRecord, { is: "end" }> | undefined;
  let commits = 0;
  for await (const text of linesOf(path)) {
    await breath.pause();
    if (end) throw refusedBackup(path, "it continues after its end.");
    if (isFirst) headerOf(path, text);
    else {
      const read = BackupRecord.safeParse(parsed(text));
      if (!read.success) throw refusedBackup(path, "it is damaged: it has a record that colloquy does not write.");
      if (read.data.is === "end") {
        end = read.data;
        continue;
      }
      if (read.data.is === "commit") commits += 1;
      yield read.data;
    }
    isFirst = false;
    all.update(text).update("\n");
  }
  if (!end) throw refusedBackup(path, "it is cut off: its end is missing.");
  if (end.commits !== commits || end.sha256 !== all.digest("hex")) throw refusedBackup(path, "it is damaged: a checksum is wrong.");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // the caller says what was expected
  }
}
