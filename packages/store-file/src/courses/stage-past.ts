import { join } from "node:path";
import type { RootId } from "@colloquy/schema";
import { checkBlobName, type Past } from "@colloquy/store";
import { type Disk, replaceFile, writeAll } from "../disk/disk.ts";
import { INCOMING, type Layout } from "../disk/layout.ts";
import { aMoment, type Pace } from "../disk/pace.ts";
import { lineText, type Tail } from "../journal/numbering.ts";
import { checkpointText, lastSeq } from "./course.ts";

interface Ground {
  readonly disk: Disk;
  readonly layout: Layout;
  readonly pace: Pace;
}

/**
 * Writes the past of a copied tree into a folder of its own. It is durable once resolved, and counts only when a commit in the journal
 * continues it: until then, opening the store removes it.
 */
export async function stagePast({ disk, layout, pace }: Ground, stream: RootId, { lines, blobs }: Past): Promise<Tail> {
  const folder = layout.folder(stream, INCOMING);
  disk.removeFolder(folder); // of an attempt that failed
  disk.makeFolder(folder);
  const files = new CourseFiles(disk, (course) => layout.course(stream, INCOMING, course));
  try {
    for await (const some of lines) {
      for (const { line, course, checkpoint } of some) {
        if (course > files.course) await files.next(course, course === 1 ? checkpointText() : checkpointText(checkpoint()));
        files.append(lineText(line), lastSeq(line));
      }
      await aMoment(pace);
    }
    await files.close();
    const kept = join(folder, "blobs");
    for await (const { name, content } of blobs) {
      checkBlobName(name);
      disk.makeFolder(kept);
      await replaceFile(disk, join(kept, name), content);
    }
    for (const path of [folder, layout.place(INCOMING), layout.dialogs]) await disk.syncFolder(path);
    return files.tail;
  } catch (error) {
    await files.close().catch(() => undefined); // the first error is the one that matters
    disk.removeFolder(folder);
    throw error;
  }
}

/** The course files of one tree, written from the first to the last. */
class CourseFiles {
  readonly #disk: Disk;
  readonly #path: (course: number) => string;
  #fd: number | undefined;
  #size = 0;
  #seq = 0;
  course = 0;

  constructor(disk: Disk, path: (course: number) => string) {
    this.#disk = disk;
    this.#path = path;
  }

  get tail(): Tail {
    return { seq: this.#seq, course: this.course, size: this.#size };
  }

  async next(course: number, head: string): Promise<void> {
    await this.close();
    this.course = course;
    this.#size = 0;
    this.#fd = this.#disk.open(this.#path(course), "write");
    this.append(head, this.#seq);
  }

  append(text: string, seq: number): void {
    if (this.#fd === undefined) return;
    const bytes = Buffer.from(text);
    writeAll(this.#disk, this.#fd, bytes, this.#size);
    this.#size += bytes.length;
    this.#seq = seq;
  }

  async close(): Promise<void> {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) await this.#disk.sync(fd).finally(() => this.#disk.close(fd));
  }
}
