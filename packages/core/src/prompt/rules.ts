import type { AgentId, DialogId, LimitsConfig } from "@colloquy/schema";
import type { ProjectPlace } from "../classify/path.ts";
import type { HeldParts } from "../commands/grant.ts";
import type { Sections } from "../tasks/section.ts";
import type { Tasks } from "../tasks/task.ts";
import type { Texts } from "../texts/texts.ts";

/** What asking needs to know about the team. */
export interface Roster {
  readonly ids: () => readonly AgentId[];
  readonly nameOf: (agent: AgentId) => string;
  /** How many samples fresh-boots reasoning takes; 0 disables it. */
  readonly fbrEffort: (agent: AgentId) => number;
  /** Whether a separate model replies to people while the agent is busy. */
  readonly hasBusyModel: (agent: AgentId) => boolean;
  /** How many tokens it can be shown at once: the hard limit of its model's window, if known. */
  readonly roomOf: (agent: AgentId) => number | undefined;
}

/** What a run is doing now, which only the live process knows. */
export interface AtWork {
  readonly tool: string | undefined;
  readonly sinceMs: number;
}

/** Everything that decisions depend on besides the tree. */
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
  /** Calls that wait for approval. Needed when a person approves similar ones together. */
  readonly heldParts?: HeldParts | undefined;
  /** For patterns that match paths. */
  readonly place?: ProjectPlace | undefined;
  readonly atWork: (dialog: DialogId, agent: AgentId) => AtWork | undefined;
}
