import type { Section } from "@colloquy/core";
import type { TreeContent } from "@colloquy/runtime";
import type { Line, TreeEvent } from "@colloquy/schema";
import type { CheckedFile } from "./check-file.ts";
import { lineFrom } from "./file-line.ts";
import { type FileItem, FileReader, refusedFile } from "./file-reader.ts";

/** Lines given on at once: a few milliseconds of work. */
const LINES_AT_ONCE = 50;

/** The trees of a checked file, one after the other. It must still be the same file. */
export async function* treeContents(source: AsyncIterable<Uint8Array>, { trees, sha256 }: CheckedFile): AsyncGenerator<TreeContent> {
  const reader = new FileReader(source);
  const items = new Items(reader.items());
  for (const tree of trees) {
    const head = await items.take("tree");
    if (!head) throw changed();
    const taskdoc: Partial<Record<Section, string>> = {};
    for (let next = await items.take("section"); next; next = await items.take("section")) taskdoc[next.section] = next.text;
    yield { ...tree, taskDocPath: head.taskDocPath, taskdoc, lines: linesOf(items), blobs: blobsOf(items) };
    if (!(await items.take("tree end"))) throw changed();
  }
  if (!(await items.isOver()) || reader.sha256 !== sha256) throw changed();
}

const changed = () => refusedFile("The file changed while it was read.");

async function* linesOf(items: Items): AsyncGenerator<readonly Line<TreeEvent>[]> {
  let lines: Line<TreeEvent>[] = [];
  for (let next = await items.take("line"); next; next = await items.take("line")) {
    lines.push(lineFrom(next.text));
    if (lines.length < LINES_AT_ONCE) continue;
    yield lines;
    lines = [];
  }
  if (lines.length > 0) yield lines;
}

async function* blobsOf(items: Items): TreeContent["blobs"] {
  for (let next = await items.take("blob"); next; next = await items.take("blob"))
    yield { name: next.name, content: Buffer.from(next.base64, "base64") };
}

/** Records in order, with a look at the next one. */
class Items {
  readonly #source: AsyncGenerator<FileItem>;
  #next: Promise<IteratorResult<FileItem, unknown>> | undefined;

  constructor(source: AsyncGenerator<FileItem>) {
    this.#source = source;
  }

  /** The next one if it is of this kind. */
  async take<Kind extends FileItem["is"]>(kind: Kind): Promise<Extract<FileItem, { is: Kind }> | undefined> {
    const { value, done } = await (this.#next ??= this.#source.next());
    if (done || value.is !== kind) return undefined;
    this.#next = undefined;
    return value as Extract<FileItem, { is: Kind }>;
  }

  async isOver(): Promise<boolean> {
    return (await (this.#next ??= this.#source.next())).done === true;
  }
}
