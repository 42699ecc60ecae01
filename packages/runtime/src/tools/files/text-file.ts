import { isUtf8 } from "node:buffer";
import { closeSync, readFileSync } from "node:fs";
import { looksBinary } from "./text/binary.ts";
import { type Excerpt, excerpt, type ExcerptJob } from "./text/excerpt.ts";
import { excerptInThread, isLinkOpen } from "./files-job.ts";
import { isSettingsName, withoutKeys } from "../protected/git-keys.ts";
import { isInGit } from "../protected/git-shape.ts";
import { OpenFolder, OutOfReach } from "./open-at.ts";
import { kindAt, type ResolvedPath } from "./resolved-path.ts";

export interface TextFile {
  readonly text: string;
  /** Otherwise it was read as Latin-1, to show at least something. */
  readonly isUtf8: boolean;
}

/** Longer files are read in a thread. */
const MAX_BYTES_HERE = 200_000;

export interface WantedLines extends Pick<ExcerptJob, "from" | "to" | "maxCharacters"> {
  readonly place: ResolvedPath;
  /** As the model wrote it, for error messages. */
  readonly path: string;
  readonly largestBytes: number;
}

/** A whole text file of the project. Reports what is wrong with anything else. */
export async function readTextFile(place: ResolvedPath, path: string, largestBytes: number, signal: AbortSignal): Promise<TextFile> {
  const bytes = await readBytes(place, path, largestBytes, signal);
  if (looksBinary(bytes)) throw notText(path, bytes);
  const file = isUtf8(bytes) ? { text: bytes.toString("utf8"), isUtf8: true } : { text: bytes.toString("latin1"), isUtf8: false };
  return isGitSettings(place) ? { ...file, text: withoutKeys(file.text) } : file;
}

/** Some lines of a file. A long file is decoded and read in a thread. */
export async function readExcerpt({ place, path, largestBytes, ...wanted }: WantedLines, signal: AbortSignal): Promise<Excerpt> {
  const bytes = await readBytes(place, path, largestBytes, signal);
  const job: ExcerptJob = { bytes, isGitSettings: isGitSettings(place), ...wanted };
  const found = bytes.length > MAX_BYTES_HERE ? await excerptInThread(job, signal) : excerpt(job);
  if (found.isBinary) throw notText(path, bytes);
  return found;
}

const notText = (path: string, bytes: Buffer): Error => new Error(`"${path}" is not a text file (${bytes.length} bytes).`);

function isGitSettings({ root, folder, inside }: ResolvedPath): boolean {
  if (!isSettingsName(inside)) return false;
  return isInGit(inside, () => OpenFolder.with(root, folder, (opened) => opened.entries().map(({ name }) => name)));
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
