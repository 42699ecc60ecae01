import { basename } from "node:path";
import type { Line, ProjectEvent, TreeEvent } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import type { LogEntry } from "@colloquy/tracing";

/** Writes an entry for whatever this process commits. Of several nodes, each writes its own. */
export async function logCommits(store: Store, dir: string, write: (entry: LogEntry) => void): Promise<void> {
  const { projectEntries, treeEntries } = await import("@colloquy/tracing");
  const project = basename(dir);
  store.watch(({ lines, isForeign }) => {
    if (isForeign) return;
    for (const { stream, line } of lines) {
      const entries = stream === "project" ? projectEntries(line as Line<ProjectEvent>) : treeEntries(stream, line as Line<TreeEvent>);
      for (const entry of entries) write({ ...entry, project });
    }
  });
}
