import type { AgentId, DialogId, LimitsConfig } from "@colloquy/schema";
import type { ProjectPlace } from "../classify/path.ts";
import type { HeldParts } from "../commands/grant.ts";
import type { Sections } from "../tasks/section.ts";
import type { Tasks } from "../tasks/task.ts";
import type { Texts } from "../texts/texts.ts";

/** The team, as far as asking needs it. */
export interface Roster {
  readonly ids: () => readonly AgentId[];
  readonly nameOf: (agent: AgentId) => string;
  /** How many samples fresh-boots reasoning takes; 0 disables it. */
  readonly fbrEffort: (agent: AgentId) => number;
  /** A separate model replies to people who write to it while it is busy. */
  readonly hasBusyModel: (agent: AgentId) => boolean;
  /** How many tokens it can be shown at once, if its model says: the hard limit of its window. */
  readonly roomOf: (agent: AgentId) => number | undefined;
}

/** What a run is doing now, which only the live process knows. */
export interface AtWork {
  readonly tool: string | undefined;
  readonly sinceMs: number;
}

/** What decisions depend on besides the tree. */
export interface Rules {
  /** Now, in milliseconds. */
  readonly at: number;
  readonly limits: LimitsConfig;
  readonly texts: Texts;
  readonly team: Roster;
  /** The project's current tasks. */
  readonly tasks: () => Tasks;
  /** Open questions about the sections of its requirements, in all trees. */
  readonly sections: () => Sections;
  /** The calls that wait for approval, when somebody approves similar ones. */
  readonly heldParts?: HeldParts | undefined;
  /** For patterns that mean paths. */
  readonly place?: ProjectPlace | undefined;
  readonly atWork: (dialog: DialogId, agent: AgentId) => AtWork | undefined;
}
