import type { ServerPacket } from "@colloquy/schema";
import { type Connection, type Door, type Method, Refusal } from "./door.ts";

/** A feed may not have noticed yet that the server was away. */
const AGAIN_MS = 1_000;

export interface HttpPlace {
  /** What stands before `/projects`. */
  readonly api: string;
  /** Asked for each request, such as a token that changes. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
}

/** Reads and changes by HTTP, and keeps what could not be delivered. How it watches is for others to say. */
export abstract class HttpDoor implements Door {
  readonly #place: HttpPlace;
  readonly #listeners = new Set<() => void>();
  readonly #waiting = new Set<() => void>();
  #connection: Connection = { state: "connecting", since: Date.now(), unsent: 0, user: undefined, role: undefined };

  constructor(place: HttpPlace) {
    this.#place = place;
  }

  connection(): Connection {
    return this.#connection;
  }

  onConnection(listen: () => void): () => void {
    this.#listeners.add(listen);
    return () => this.#listeners.delete(listen);
  }

  async read<Answer>(path: string): Promise<Answer> {
    return (await this.#ask("GET", path)) as Answer;
  }

  async change<Answer>(method: Exclude<Method, "GET">, path: string, body: Readonly<Record<string, unknown>>): Promise<Answer> {
    for (;;) {
      try {
        return (await this.#ask(method, path, body)) as Answer;
      } catch (error) {
        const isPassing = error instanceof Refusal && (error.code === "unreachable" || error.code === "unavailable");
        // Without an id a second delivery could take effect twice.
        if (!isPassing || body.msgId === undefined) throw error;
        await this.#untilReachable();
      }
    }
  }

  abstract watchProject(projectId: string, hear: (packet: ServerPacket | "resync") => void): () => void;
  abstract watchTree(projectId: string, rootId: string, after: number, hear: (packet: ServerPacket) => void): () => void;
  abstract present(projectId: string, questionId: string | undefined, isWriting: boolean): void;
  abstract close(): void;

  protected fetch(
    method: Method,
    path: string,
    init: Pick<RequestInit, "body" | "signal"> & { readonly headers?: Record<string, string> },
  ) {
    const headers = { ...this.#place.headers?.(), ...init.headers };
    return fetch(this.#place.api.replace(/\/+$/, "") + path, { ...init, method, headers, credentials: "same-origin" });
  }

  protected set(change: Partial<Connection>): void {
    const isNew = change.state !== undefined && change.state !== this.#connection.state;
    this.#connection = { ...this.#connection, ...change, ...(isNew && { since: Date.now() }) };
    if (change.state === "live") for (const go of this.#waiting) go();
    for (const listen of this.#listeners) listen();
  }

  #untilReachable(): Promise<void> {
    this.set({ unsent: this.#connection.unsent + 1 });
    return new Promise((resolve) => {
      const go = () => {
        if (!this.#waiting.delete(go)) return;
        this.set({ unsent: this.#connection.unsent - 1 });
        resolve();
      };
      this.#waiting.add(go);
      setTimeout(() => this.#connection.state !== "lost" && go(), AGAIN_MS);
    });
  }

  async #ask(method: Method, path: string, body?: unknown): Promise<unknown> {
    let response: Response;
    try {
      response = await this.fetch(method, path, {
        ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      });
    } catch (error) {
      throw new Refusal("unreachable", error instanceof Error ? error.message : String(error));
    }
    if (!response.ok) throw await refusalOf(response);
    return response.json().catch(() => undefined);
  }
}

/** Why the answer is a "no". */
export async function refusalOf(response: Response): Promise<Refusal> {
  const answer = (await response.json().catch(() => undefined)) as
    | { error?: { code: Refusal["code"]; message: string; question?: unknown } }
    | undefined;
  const { code = "internal", message = `${response.status}`, question } = answer?.error ?? {};
  return new Refusal(code, message, question);
}
