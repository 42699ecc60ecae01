import { PROJECT_STREAM, type StreamId } from "@colloquy/schema";
import type { Disk } from "../disk/disk.ts";
import type { Layout } from "../disk/layout.ts";
import { type Examined, examine } from "../inspect/examine.ts";
import type { InspectOptions } from "../inspect/inspect.ts";
import type { Meaning } from "../inspect/meaning.ts";
import type { FoldEntry } from "../inspect/rebuild.ts";
import { placesOf, StreamFiles } from "../inspect/stream-files.ts";

export type RepairOptions = InspectOptions & { readonly foldEntry: FoldEntry; readonly now?: () => number };

/** What all repairs of one project share. */
export class RepairRun {
  readonly disk: Disk;
  readonly layout: Layout;
  readonly meaning: Meaning | undefined;
  readonly foldEntry: FoldEntry;
  /** When the repair began. */
  readonly at: string;
  /** The same, for the names of files. */
  readonly time: string;
  /** Streams whose row in the index is to be renewed, and those to be forgotten. */
  readonly changed = new Set<StreamId>();
  readonly gone = new Set<StreamId>();

  constructor(disk: Disk, layout: Layout, at: string, { meaning, foldEntry }: RepairOptions) {
    this.disk = disk;
    this.layout = layout;
    this.at = at;
    this.time = at.replaceAll(/[:.]/g, "-");
    this.meaning = meaning;
    this.foldEntry = foldEntry;
  }

  filesOf(stream: StreamId): StreamFiles {
    return new StreamFiles(this.disk, this.layout, stream, placesOf(this.disk, this.layout, stream)[0] ?? "run");
  }

  examine(files: StreamFiles): Examined | undefined {
    return examine(files, this.meaning);
  }

  /** Can the trees tell what the project's own log is missing? */
  canRebuild(stream: StreamId): boolean {
    return stream === PROJECT_STREAM && this.meaning?.missingFromProject !== undefined;
  }

  /** Moves a folder where nothing mistakes it for a tree. Returns the folder that now holds it. */
  keepAside(folder: string, name: string): string {
    const kept = `${this.layout.dialogs}/bad-${this.time}`;
    this.disk.makeFolder(kept);
    this.disk.rename(folder, `${kept}/${name}`);
    return kept;
  }
}
