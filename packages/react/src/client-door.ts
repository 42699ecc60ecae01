import { type Client, connect } from "@colloquy/client";
import { type RootId, type ServerPacket, SESSION_HEADER } from "@colloquy/schema";
import { HttpDoor } from "./http-door.ts";
import { onReturn } from "./on-return.ts";

export interface ServerPlace {
  /** Where the server is, such as `http://127.0.0.1:5740`. */
  readonly url: string;
  /** Not needed in a page of the server itself, where a person is signed in. */
  readonly token?: string | undefined;
  /** In such a page: its half of the session, as it is at the time. */
  readonly session?: (() => string | undefined) | undefined;
}

/** A door to a server of its own: it watches by sockets that resume where they were. It connects when somebody watches. */
export class ClientDoor extends HttpDoor {
  readonly #place: ServerPlace;
  #main: Client | undefined;
  readonly #byProject = new Map<string, Client>();
  readonly #present = new Map<string, { readonly questionId?: string; readonly writing: boolean }>();
  #forget: () => void = () => {};

  constructor({ url, token, session }: ServerPlace) {
    const place = { url: url.replace(/\/+$/, ""), ...(token !== undefined && { token }), ...(session && { session }) };
    super({ api: `${place.url}/api`, headers: () => headersOf(token, session?.()) });
    this.#place = place;
  }

  override onConnection(listen: () => void): () => void {
    this.#client();
    return super.onConnection(listen);
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
    const open = { writing: isWriting, ...(questionId !== undefined && { questionId }) };
    if (questionId === undefined) this.#present.delete(projectId);
    else this.#present.set(projectId, open);
    this.#of(projectId).presence(open);
  }

  /** Whoever watches after this is connected anew. */
  close(): void {
    this.#forget();
    for (const client of this.#all()) client.close();
    this.#byProject.clear();
    this.#main = undefined;
  }

  #client(): Client {
    if (this.#main) return this.#main;
    const client = connect(this.#place);
    this.#main = client;
    const unsubscribe = client.state.subscribe(() => this.#changed(client));
    const stop = onReturn(() => this.#all().forEach((one) => one.retryNow()));
    this.#forget = () => {
      unsubscribe();
      stop();
    };
    return client;
  }

  /**
   * A client names one project; where a server serves only one, the first is that one's. What it is once, it stays: whoever
   * watches over one socket and writes over another would hear of itself.
   */
  #of(projectId: string): Client {
    const known = this.#byProject.get(projectId);
    if (known) return known;
    const main = this.#client();
    const state = main.state.getSnapshot();
    const isOnly = state.status === "open" && state.welcome.projects.length === 1;
    const client = isOnly ? main : connect({ ...this.#place, projectId });
    this.#byProject.set(projectId, client);
    // A server that has just come knows nothing of who has what open.
    client.state.subscribe(() => {
      const open = this.#present.get(projectId);
      if (open && client.state.getSnapshot().status === "open") client.presence(open);
    });
    return client;
  }

  #all(): ReadonlySet<Client> {
    return new Set([...(this.#main ? [this.#main] : []), ...this.#byProject.values()]);
  }

  #changed(client: Client): void {
    const state = client.state.getSnapshot();
    switch (state.status) {
      case "connecting":
        return this.set({ state: "connecting" });
      case "open": {
        const { user, role } = state.welcome;
        return this.set({ state: "live", user, role });
      }
      case "reconnecting":
        return this.set({ state: "lost" });
      case "closed":
      case "refused":
        return this.set({ state: "refused" });
    }
  }
}

const headersOf = (token: string | undefined, page: string | undefined): Readonly<Record<string, string>> => ({
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
  ...(page !== undefined && { [SESSION_HEADER]: page }),
});
