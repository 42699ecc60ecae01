import { realpathSync } from "node:fs";
import type { RootId } from "@colloquy/schema";
import { inspect, type Problem, repair } from "@colloquy/store-file";
import { foldEntry } from "./fold-entry.ts";
import { meaning } from "./meaning.ts";
import { unlessLocked } from "./unless-locked.ts";

export type { Problem } from "@colloquy/store-file";

/** Checks every line of a project's logs, or of one tree's. The project must not be open in this process. */
export const inspectProject = (dir: string, rootId?: RootId): Promise<readonly Problem[]> =>
  unlessLocked(() => inspect(realpathSync(dir), careOf(rootId)));

/** Repairs what it can and reports what it did. Removed data is kept in files beside. */
export const repairProject = (dir: string, rootId?: RootId): Promise<readonly string[]> =>
  unlessLocked(() => repair(realpathSync(dir), careOf(rootId)));

const careOf = (rootId: RootId | undefined) => ({ foldEntry, meaning, ...(rootId !== undefined && { rootId }) });
