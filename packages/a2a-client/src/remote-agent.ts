import { setTimeout as pause } from "node:timers/promises";
import { type Client, ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } from "@a2a-js/sdk/client";
import { A2AError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import { remoteFetch, Unusable } from "./remote-fetch.ts";
import { toMessage, toRemoteTask } from "./remote-task.ts";
import type { RemoteTask } from "./state.ts";

/** How long a message is tried to be sent while nobody answers. */
const SEND_TRIES = 6;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

export interface RemoteAddress {
  readonly url: string;
  /** Read at each request: a changed key counts from the next one on. */
  readonly headers: () => Readonly<Record<string, string>>;
}

/** An agent elsewhere, over the protocol's own client. */
export class RemoteAgent {
  readonly #address: RemoteAddress;
  readonly #signal: AbortSignal;

  constructor(address: RemoteAddress, signal: AbortSignal) {
    this.#address = address;
    this.#signal = signal;
  }

  /** Sends a message, and again under the same id while nobody answers. Does not wait for the work. */
  async send(sending: Parameters<typeof toMessage>[0]): Promise<RemoteTask> {
    for (let tries = 1; ; tries++) {
      try {
        const client = await this.#client();
        return toRemoteTask(await client.sendMessage(toMessage(sending), { signal: this.#signal }));
      } catch (error) {
        if (isFinal(error) || tries === SEND_TRIES) throw error;
        await this.#pause(tries);
      }
    }
  }

  /**
   * Resolves when the task is over or asks something, however long that takes and however often the other side is away. `past`: a question
   * that somebody else answers.
   */
  async settled(task: string, past?: string): Promise<RemoteTask> {
    for (let tries = 1; ; tries++) {
      try {
        const client = await this.#client();
        for (;;) {
          const found = toRemoteTask(await client.getTask({ tenant: "", id: task }, { signal: this.#signal }));
          if (isSettled(found, past)) return found;
          const hasHeard = await this.#listen(client, task, past);
          tries = hasHeard ? 1 : tries + 1;
          await this.#pause(tries);
        }
      } catch (error) {
        if (isFinal(error)) throw error;
        await this.#pause(tries);
      }
    }
  }

  /** Follows the task until its stream ends. False if there is no stream. */
  async #listen(client: Client, task: string, past?: string): Promise<boolean> {
    const { capabilities } = await client.getAgentCard();
    if (!capabilities?.streaming) return false;
    try {
      for await (const { payload } of client.resubscribeTask({ tenant: "", id: task }, { signal: this.#signal })) {
        if (payload?.$case === "task" && isSettled(toRemoteTask(payload.value), past)) return true;
        if (payload?.$case === "statusUpdate") return true;
      }
      return true;
    } catch (error) {
      // It was over before we listened; asking for it tells.
      if (error instanceof UnsupportedOperationError) return false;
      throw error;
    }
  }

  #pause(tries: number): Promise<void> {
    const ms = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(tries - 1, 10));
    return pause(ms, undefined, { signal: this.#signal });
  }

  async #client(): Promise<Client> {
    const { url, headers } = this.#address;
    const fetchImpl = remoteFetch(url, headers, this.#signal);
    const factory = new ClientFactory({
      transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    });
    // A card's own address is taken as it is; else it is where agents have it, below this one.
    return url.endsWith(".json") ? factory.createFromUrl(url, "") : factory.createFromUrl(url.endsWith("/") ? url : `${url}/`);
  }
}

const isSettled = ({ state, asked }: RemoteTask, past: string | undefined): boolean =>
  state !== "working" && (past === undefined || asked !== past);

/** What trying again does not change: the protocol's own refusals, and what a person must mend. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  if (error.name === "AbortError") return true;
  return error instanceof Unusable || error.cause instanceof Unusable || (error instanceof A2AError && error.reason !== "INTERNAL_ERROR");
}
