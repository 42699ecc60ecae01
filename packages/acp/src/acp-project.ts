import type { BridgeProject } from "@colloquy/bridge";
import type { RootId } from "@colloquy/schema";

/** A main dialog in a list. */
export interface SessionRow {
  readonly rootId: RootId;
  readonly title: string;
  readonly lastModified: string;
  readonly status: string;
}

/** A project as an editor's user reaches it. */
export interface AcpProject extends Omit<BridgeProject, "createdAs"> {
  /** Its folder, if it is on this machine. */
  readonly dir: string | undefined;
  newId(): RootId;
  /** Newest first. `after`: the last id of the page before. */
  list(after: string | undefined): Promise<{ readonly rows: readonly SessionRow[]; readonly next?: string | undefined }>;
  /** Approves a call and all calls of the dialog that fit the pattern. */
  approveLike(id: string, given: { readonly shown: string; readonly pattern: string }): Promise<{ readonly seq: number }>;
}
