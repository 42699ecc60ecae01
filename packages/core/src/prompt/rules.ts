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
  /** A model of its own writes to those who find it busy. */
  readonly hasBusyModel: (agent: AgentId) => boolean;
  /** Tokens that it can be shown at once, where its model says how many: the hard limit of its window. */
  readonly roomOf: (agent: AgentId) => number | undefined;
}

/** What a run does at this moment, which only the living process knows. */
export interface AtWork {
  readonly tool: string | undefined;
  readonly sinceMs: number;
}

/** What decisions rest on besides the tree. */
export interface Rules {
  /** Now, in milliseconds. */
  readonly at: number;
  readonly limits: LimitsConfig;
  readonly texts: Texts;
  readonly team: Roster;
  /** The tasks of the project as they are. */
  readonly tasks: () => Tasks;
  /** What people are asked about the sections of its requirements, in all trees. */
  readonly sections: () => Sections;
  /** The calls that wait for approval, where somebody approves the like of them. */
  readonly heldParts?: HeldParts | undefined;
  /** For patterns that mean paths. */
  readonly place?: ProjectPlace | undefined;
  readonly atWork: (dialog: DialogId, agent: AgentId) => AtWork | undefined;
}
