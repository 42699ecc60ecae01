import { Fault } from "@colloquy/schema";
import type { Client, QueryConfig, QueryResultRow } from "pg";
import { isConnectionLost } from "./faults.ts";

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2_000;

export interface LinkHost {
  connect(): Promise<Client>;
  /** Called with each new connection after the first, before any statement. Throws a `Fault` if it can't continue. */
  onReturn(client: Client): Promise<void>;
  onLost?(): void;
}

/** Closes a connection without notice. After some errors while connecting, the driver itself leaves it open, and the server waits for the rest. */
export function cutOff(client: Client): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

/**
 * A connection that reconnects. Statements run one after the other, in the order of the calls; one whose connection was lost is resent
 * on the next, so every statement must be repeatable.
 */
export class Link {
  readonly #host: LinkHost;
  #client: Promise<Client>;
  #last: Promise<unknown> = Promise.resolve();
  /** Why there is no connection, while there is none. */
  lost: unknown;
  #lostSince = 0;
  #endPause = () => {};
  #end: Error | undefined;
  /** The last client whose loss was handled: it is reported several times. */
  #gone: Client | undefined;

  constructor(client: Client, host: LinkHost) {
    this.#host = host;
    this.#client = Promise.resolve(this.#watched(client));
  }

  get lostSince(): number | undefined {
    return this.lost === undefined ? undefined : this.#lostSince;
  }

  async run<Row extends QueryResultRow>(query: QueryConfig): Promise<Row[]> {
    const turn = this.#last.then(() => this.#untilAnswered<Row>(query));
    this.#last = turn.catch(() => undefined); // the caller gets the error
    return turn;
  }

  async #untilAnswered<Row extends QueryResultRow>(query: QueryConfig): Promise<Row[]> {
    for (;;) {
      const client = await this.#client;
      try {
        return (await client.query<Row>(query)).rows;
      } catch (error) {
        if (this.#end) throw this.#end;
        if (!isConnectionLost(error)) throw error;
        this.#reconnect(client, error);
      }
    }
  }

  /** Replaces the connection by a new one, if it is still the wrong one once there is one. */
  async renew(isWrong: () => boolean): Promise<void> {
    const client = await this.#client;
    if (!isWrong()) return;
    this.#reconnect(client, new Error("the session was replaced"));
    await this.#client;
  }

  /** Sends nothing more; waiting statements are refused with `reason`. */
  async end(reason: Error, how: "politely" | "at once" = "politely"): Promise<void> {
    this.#end ??= reason;
    this.#endPause();
    const client = await this.#client.catch(() => undefined);
    if (!client) return;
    if (how === "politely") await client.end().catch(() => undefined); // it is gone either way
    else cutOff(client);
  }

  #watched(client: Client): Client {
    client.on("error", (error) => this.#reconnect(client, error));
    client.on("end", () => this.#reconnect(client, new Error("the connection was closed")));
    return client;
  }

  #reconnect(from: Client, error: unknown): void {
    if (this.#end || this.#gone === from) return;
    this.#gone = from;
    this.lost = error;
    this.#lostSince = Date.now();
    this.#host.onLost?.();
    void from.end().catch(() => undefined); // it is gone already
    this.#client = this.#back();
    this.#client.catch(() => undefined); // the caller of a statement gets the error
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #back(): Promise<Client> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
      if (this.#end) throw this.#end;
      try {
        const client = await this.#host.connect();
        try {
          if (this.#end) throw this.#end;
          await this.#host.onReturn(client);
        } catch (error) {
          await client.end().catch(() => undefined);
          throw error;
        }
        this.lost = undefined;
        return this.#watched(client);
      } catch (error) {
        if (error instanceof Fault) {
          this.#end ??= error;
          throw error;
        }
        this.lost = error;
        await this.#pause(pauseMs);
      }
    }
  }
}
