import { realpathSync } from "node:fs";
import type { RootId } from "@colloquy/schema";
import { inspect, type Problem, repair } from "@colloquy/store-file";
import { foldEntry } from "./fold-entry.ts";
import { meaning } from "./meaning.ts";
import { unlessLocked } from "./unless-locked.ts";

export type { Problem } from "@colloquy/store-file";

/** Looks through a project's logs, or one tree's, from the first line to the last. The project must not be open in this process. */
export const inspectProject = (dir: string, rootId?: RootId): Promise<readonly Problem[]> =>
  unlessLocked(() => inspect(realpathSync(dir), careOf(rootId)));

/** Puts right what can be put right, and says what was done. What has to go is kept beside. */
export const repairProject = (dir: string, rootId?: RootId): Promise<readonly string[]> =>
  unlessLocked(() => repair(realpathSync(dir), careOf(rootId)));

const careOf = (rootId: RootId | undefined) => ({ foldEntry, meaning, ...(rootId !== undefined && { rootId }) });
