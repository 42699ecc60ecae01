import type { StreamId } from "@colloquy/schema";
import type { Disk } from "../disk/disk.ts";
import type { Layout } from "../disk/layout.ts";

/** Bytes of a course file that could not be written to it, kept beside the journal. */
export interface Unwritten {
  readonly course: number;
  readonly at: number;
  readonly path: string;
  /** For messages. */
  readonly name: string;
}

/** In the order in which they belong into the files. */
export function unwrittenOf(disk: Disk, layout: Layout, stream: StreamId): readonly Unwritten[] {
  const pattern = new RegExp(`^unwritten-${stream}-(\\d+)-(\\d+)$`);
  const found = disk.list(layout.journal).flatMap((file): Unwritten[] => {
    const [, course, at] = pattern.exec(file) ?? [];
    if (course === undefined || at === undefined) return [];
    const path = `${layout.journal}/${file}`;
    return [{ course: Number(course), at: Number(at), path, name: layout.name(path) }];
  });
  return found.toSorted((a, b) => a.course - b.course || a.at - b.at);
}
