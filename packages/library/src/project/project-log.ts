import type { Commands } from "@colloquy/runtime";
import type { ProjectEvent, RootId } from "@colloquy/schema";
import type { LogCursor, Store } from "@colloquy/store";

/** The log as an adapter follows it that makes it public elsewhere. */
export interface ProjectLog {
  /** The last commit's number. */
  head(): number;
  cursor(name: string): LogCursor;
  /** Trees with a commit after `pos`, in no order, and perhaps others. */
  changedSince(pos: number): AsyncIterable<RootId>;
  /** Records a signed event before a relay gets it. Durable once resolved. */
  registerSigned(signed: Extract<ProjectEvent, { type: "nostr.signed" }>): Promise<void>;
}

export const projectLog = (store: Store, commands: Commands): ProjectLog => ({
  head: () => store.health().pos,
  cursor: (name) => store.cursor(name),
  changedSince: (pos) => store.changedSince(pos),
  registerSigned: (signed) => commands.registerSigned(signed),
});
