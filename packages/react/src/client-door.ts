import { type Client, connect } from "@colloquy/client";
import type { RootId, ServerPacket } from "@colloquy/schema";
import { type Connection, type Door, type Method, Refusal } from "./door.ts";

/** The socket may not have noticed yet that the server was away. */
const AGAIN_MS = 1_000;

/** A door over the client: it watches by sockets that resume where they were, reads and changes by HTTP. */
export class ClientDoor implements Door {
  readonly #url: string;
  readonly #client: Client;
  readonly #others = new Map<string, Client>();
  readonly #listeners = new Set<() => void>();
  readonly #waiting = new Set<() => void>();
  #connection: Connection = { state: "connecting", since: Date.now(), unsent: 0, user: undefined, role: undefined };

  constructor(url: string) {
    this.#url = url;
    this.#client = connect({ url });
    this.#client.state.subscribe(() => this.#changed());
    const hurry = () => this.#all().forEach((client) => client.retryNow());
    globalThis.addEventListener("online", hurry);
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && hurry());
  }

  connection(): Connection {
    return this.#connection;
  }

  onConnection(listen: () => void): () => void {
    this.#listeners.add(listen);
    return () => this.#listeners.delete(listen);
  }

  async read<Answer>(path: string): Promise<Answer> {
    return (await this.#fetch("GET", path)) as Answer;
  }

  async change<Answer>(method: Exclude<Method, "GET">, path: string, body: Readonly<Record<string, unknown>>): Promise<Answer> {
    for (;;) {
      try {
        return (await this.#fetch(method, path, body)) as Answer;
      } catch (error) {
        const isPassing = error instanceof Refusal && (error.code === "unreachable" || error.code === "unavailable");
        // Without an id a second delivery could take effect twice.
        if (!isPassing || body.msgId === undefined) throw error;
        await this.#untilReachable();
      }
    }
  }

  watchProject(projectId: string, hear: (packet: ServerPacket | "resync") => void): () => void {
    return this.#of(projectId).watchProject({}, { event: hear, presence: hear, begins: () => hear("resync") });
  }

  watchTree(projectId: string, rootId: string, after: number, hear: (packet: ServerPacket) => void): () => void {
    return this.#of(projectId).watchTree(
      { rootId: rootId as RootId, after },
      {
        commit: ({ events }) => {
          for (const event of events) hear({ type: "recorded", ...event });
        },
        live: hear,
      },
    );
  }

  present(projectId: string, questionId: string | undefined, isWriting: boolean): void {
    this.#of(projectId).presence({ writing: isWriting, ...(questionId !== undefined && { questionId }) });
  }

  /** A client names one project; where a server serves only one, the first is that one's. */
  #of(projectId: string): Client {
    const state = this.#client.state.getSnapshot();
    if (state.status === "open" && state.welcome.projects.length === 1) return this.#client;
    const other = this.#others.get(projectId) ?? connect({ url: this.#url, projectId });
    this.#others.set(projectId, other);
    return other;
  }

  #all(): readonly Client[] {
    return [this.#client, ...this.#others.values()];
  }

  #changed(): void {
    const state = this.#client.state.getSnapshot();
    switch (state.status) {
      case "connecting":
        return this.#set({ state: "connecting" });
      case "open": {
        const { user, role } = state.welcome;
        this.#set({ state: "live", user, role });
        for (const go of this.#waiting) go();
        return;
      }
      case "reconnecting":
        return this.#set({ state: "lost" });
      case "closed":
      case "refused":
        return this.#set({ state: "refused" });
    }
  }

  #set(change: Partial<Connection>): void {
    const isNew = change.state !== undefined && change.state !== this.#connection.state;
    this.#connection = { ...this.#connection, ...change, ...(isNew && { since: Date.now() }) };
    for (const listen of this.#listeners) listen();
  }

  #untilReachable(): Promise<void> {
    this.#set({ unsent: this.#connection.unsent + 1 });
    return new Promise((resolve) => {
      const go = () => {
        if (!this.#waiting.delete(go)) return;
        this.#set({ unsent: this.#connection.unsent - 1 });
        resolve();
      };
      this.#waiting.add(go);
      setTimeout(() => this.#connection.state === "live" && go(), AGAIN_MS);
    });
  }

  async #fetch(method: Method, path: string, body?: unknown): Promise<unknown> {
    let response: Response;
    try {
      response = await fetch(`${this.#url}/api${path}`, {
        method,
        credentials: "same-origin",
        ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      });
    } catch (error) {
      throw new Refusal("unreachable", error instanceof Error ? error.message : String(error));
    }
    const answer = (await response.json().catch(() => undefined)) as {
      error?: { code: Refusal["code"]; message: string; question?: unknown };
    };
    if (response.ok) return answer;
    const { code = "internal", message = `${response.status}`, question } = answer?.error ?? {};
    throw new Refusal(code, message, question);
  }
}
