import type { memberElsewhere, RemoteAddress } from "@colloquy/a2a-client";
import type { Runner, Tool } from "@colloquy/runtime";
import { type A2aConfig, a2aAddress, type AgentConfig, secretVariables, VARIABLE } from "@colloquy/schema";
import type { Environment } from "../open/environment.ts";

/** What a member that works elsewhere has instead of a model and tools of its own. */
interface Elsewhere {
  readonly tools: readonly Tool[];
  readonly runner: Runner;
}

/** The members that work elsewhere, by the protocol they are reached with. Its code is loaded once the settings name such an agent. */
export class MembersElsewhere {
  #a2a: typeof memberElsewhere | undefined;
  #env: Environment = {};

  /** Returns the variables whose values no tool result may show. */
  async update(agents: Iterable<AgentConfig>, env: Environment): Promise<readonly string[]> {
    this.#env = env;
    const addresses = [...agents].flatMap(({ a2a }) => (a2a === undefined ? [] : a2aAddress(a2a)));
    if (addresses.length > 0) this.#a2a ??= (await import("@colloquy/a2a-client")).memberElsewhere;
    return addresses.flatMap(secretVariables);
  }

  /** Undefined if the agent works here. */
  of(name: string, { a2a }: AgentConfig): Elsewhere | undefined {
    return a2a === undefined ? undefined : this.#a2a?.(name, this.#address(a2a));
  }

  /** Variables are read at each request. */
  #address(given: A2aConfig): RemoteAddress {
    const { url, tokenEnv, headers = {} } = a2aAddress(given);
    const filled = (text: string) => text.replaceAll(VARIABLE, (_, name: string) => this.#env[name] ?? "");
    return {
      url: filled(url),
      headers: () => ({
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)])),
        ...(tokenEnv !== undefined && { authorization: `Bearer ${this.#env[tokenEnv] ?? ""}` }),
      }),
    };
  }
}
