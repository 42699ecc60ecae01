import { type Roster, texts } from "@colloquy/core";
import type { AgentId } from "@colloquy/schema";
import type { Team } from "../team/team.ts";
import type { PlaceOf } from "../engine/views.ts";

const HISTORY_SHARE = 0.75;

/** The team as decisions and views see it, looked up at the moment of the query. */
export class LiveRoster implements Roster {
  readonly #team: () => Team;

  constructor(team: () => Team) {
    this.#team = team;
  }

  readonly ids = (): readonly AgentId[] =>
    this.#team()
      .members()
      .map((member) => member.id as AgentId);

  readonly nameOf = (agent: AgentId): string => this.#team().member(agent)?.name ?? agent;

  readonly fbrEffort = (agent: AgentId): number => this.#team().member(agent)?.fbrEffort ?? 1;

  readonly hasBusyModel = (agent: AgentId): boolean => this.#team().member(agent)?.busyRunner !== undefined;

  readonly roomOf = (agent: AgentId): number | undefined => {
    const window = this.windowOf(agent);
    return window === undefined ? undefined : Math.floor(this.#team().context.hard * window);
  };

  /** An agent's context window in tokens; unknown if the model doesn't say or isn't available. */
  windowOf(agent: AgentId): number | undefined {
    try {
      return this.#team().member(agent)?.runner().contextWindow;
    } catch {
      // A missing model is reported when the agent is about to speak.
      return undefined;
    }
  }

  readonly placeOf: PlaceOf = ({ dialog, agent }, isOwn) => ({
    dialog,
    agent,
    nameOf: this.nameOf,
    texts: () => texts[this.#team().language],
    // In its own dialog it clears its mind when the context is full.
    ...(!isOwn && { room: () => this.#historyRoomOf(agent) }),
  });

  /** Tokens of history that fit into an agent's window, leaving a good part for the prompt's head. */
  #historyRoomOf(agent: AgentId): number | undefined {
    const room = this.roomOf(agent);
    return room === undefined ? undefined : Math.floor(room * HISTORY_SHARE);
  }
}
