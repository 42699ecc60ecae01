import { type Roster, texts } from "@colloquy/core";
import type { AgentId } from "@colloquy/schema";
import type { Team } from "../team/team.ts";
import type { PlaceOf } from "../engine/views.ts";

const HISTORY_SHARE = 0.75;

/** The team as decisions and views see it, as it is at the moment of the question. */
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

  /** Tokens that an agent's model reads at once; unknown where the model does not say, or cannot be had. */
  windowOf(agent: AgentId): number | undefined {
    try {
      return this.#team().member(agent)?.runner().contextWindow;
    } catch {
      // A model that cannot be had is told when the agent is to speak.
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

  /** Tokens of history that fit into an agent's window, when a good part of it is left for what stands before the history. */
  #historyRoomOf(agent: AgentId): number | undefined {
    const room = this.roomOf(agent);
    return room === undefined ? undefined : Math.floor(room * HISTORY_SHARE);
  }
}
