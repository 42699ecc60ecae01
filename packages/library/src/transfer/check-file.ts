import type { Section } from "@colloquy/core";
import type { TreeInFile } from "@colloquy/runtime";
import type { RootId } from "@colloquy/schema";
import { isBlobName } from "@colloquy/store";
import { CheckedTree } from "./file-line.ts";
import { FileReader, type FileItem, refusedFile } from "./file-reader.ts";

export interface CheckedFile {
  readonly trees: readonly TreeInFile[];
  readonly sha256: string;
}

/** Reads a whole file, and refuses it unless every record, line, checksum and event is as it should be. Nothing is stored. */
export async function checkFile(source: AsyncIterable<Uint8Array>): Promise<CheckedFile> {
  const reader = new FileReader(source);
  const trees: TreeInFile[] = [];
  let open: OpenTree | undefined;
  for await (const item of reader.items()) {
    if (item.is === "tree") {
      if (open || trees.some(({ from }) => isAlike(from, item.rootId))) throw misplaced(item);
      open = new OpenTree(item.rootId, item.taskDocPath);
    } else if (!open) throw misplaced(item);
    else if (item.is !== "tree end") open.add(item);
    else {
      if (item.rootId !== open.rootId) throw misplaced(item);
      open.end(item.events);
      trees.push({ from: open.rootId, at: item.events });
      open = undefined;
    }
  }
  if (open) throw refusedFile("The file is damaged: a dialog has no end.");
  if (trees.length === 0) throw refusedFile("The file has no dialogs.");
  return { trees, sha256: reader.sha256 };
}

/** Ids made in one would seem to be of the other. */
const isAlike = (one: RootId, other: RootId): boolean => one.slice(-8) === other.slice(-8);
const misplaced = (item: FileItem) => refusedFile(`The file is damaged: a ${item.is} is where none belongs.`);

/** The order of a tree's records: its sections, its lines, its blobs. */
const ORDER = { section: 0, line: 1, blob: 2 } as const;

class OpenTree {
  readonly rootId: RootId;
  readonly #taskDocPath: string;
  readonly #lines: CheckedTree;
  readonly #blobs = new Set<string>();
  readonly #sections = new Set<Section>();
  #part = 0;

  constructor(rootId: RootId, taskDocPath: string) {
    this.rootId = rootId;
    this.#taskDocPath = taskDocPath;
    this.#lines = new CheckedTree(rootId);
  }

  add(item: Exclude<FileItem, { is: "tree" | "tree end" }>): void {
    if (ORDER[item.is] < this.#part) throw misplaced(item);
    this.#part = ORDER[item.is];
    if (item.is === "line") return this.#lines.add(item.text);
    if (item.is === "section") {
      if (this.#sections.has(item.section)) throw misplaced(item);
      this.#sections.add(item.section);
      return;
    }
    const { name, bytes, base64 } = item;
    if (!isBlobName(name) || this.#blobs.has(name)) throw refusedFile("The file is damaged: a blob has a name that no blob has.");
    this.#blobs.add(name);
    if (Buffer.from(base64, "base64").length !== bytes) throw refusedFile(`The file is damaged: blob ${name} is incomplete.`);
  }

  end(events: number): void {
    this.#lines.end(events, this.#taskDocPath);
  }
}
