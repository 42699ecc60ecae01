import { isUtf8 } from "node:buffer";
import { closeSync, readFileSync } from "node:fs";
import { looksBinary } from "./binary.ts";
import { isLinkOpen } from "./files-job.ts";
import { OpenFolder, OutOfReach } from "./open-at.ts";
import { kindAt, type ResolvedPath } from "./resolved-path.ts";

export interface TextFile {
  readonly text: string;
  /** Otherwise it was read as Latin-1, so that something can be seen. */
  readonly isUtf8: boolean;
}

/** A text file of the project, whole. Says what is wrong with anything else. */
export async function readTextFile(place: ResolvedPath, path: string, largestBytes: number, signal: AbortSignal): Promise<TextFile> {
  const bytes = await readBytes(place, path, largestBytes, signal);
  if (looksBinary(bytes)) throw new Error(`"${path}" is not a text file (${bytes.length} bytes).`);
  return isUtf8(bytes) ? { text: bytes.toString("utf8"), isUtf8: true } : { text: bytes.toString("latin1"), isUtf8: false };
}

async function readBytes(place: ResolvedPath, path: string, largestBytes: number, signal: AbortSignal): Promise<Buffer> {
  if (kindAt(place) === "folder") throw new OutOfReach(`"${path}" is a folder. Use list_dir.`);
  const { fd, facts } = OpenFolder.with(place.root, place.folder, (folder) => folder.openFile(place.name));
  try {
    if (facts.names > 1 && !(await isLinkOpen(place, facts, signal)))
      throw new OutOfReach(
        `"${path}" is not open to tools: the same file has another name (a hard link) that is hidden or outside of the project.`,
      );
    if (facts.size > largestBytes)
      throw new Error(
        `"${path}" has ${facts.size} bytes; at most ${largestBytes} can be opened. Look for what you need with search_files, or with run_command (head, tail, sed -n).`,
      );
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
