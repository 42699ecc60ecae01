import { PROJECT_STREAM, type StreamId } from "@colloquy/schema";
import type { Disk } from "../disk/disk.ts";
import { type Layout, PLACES, type StatusFolder } from "../disk/layout.ts";

/** The files of one stream, in the folder where they were found. */
export class StreamFiles {
  readonly disk: Disk;
  readonly layout: Layout;
  readonly stream: StreamId;
  readonly place: StatusFolder;

  constructor(disk: Disk, layout: Layout, stream: StreamId, place: StatusFolder) {
    this.disk = disk;
    this.layout = layout;
    this.stream = stream;
    this.place = place;
  }

  get folder(): string {
    return this.layout.folder(this.stream, this.place);
  }

  get snapshot(): string {
    return this.layout.snapshot(this.stream, this.place);
  }

  course(course: number): string {
    return this.layout.course(this.stream, this.place, course);
  }

  /** A course file in messages. */
  nameOf(course: number): string {
    return this.layout.name(this.course(course));
  }
}

/** The places that hold files of this stream, whatever its status. */
export function placesOf(disk: Disk, layout: Layout, stream: StreamId): StatusFolder[] {
  if (stream === PROJECT_STREAM) return disk.stat(layout.course(stream, "run", 1)) ? ["run"] : [];
  return Object.values(PLACES).filter((place) => disk.stat(layout.folder(stream, place)));
}
