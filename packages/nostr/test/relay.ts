// A relay as a process of its own, to be killed. Its arguments: the file of its events, and the port.
import { DatabaseSync } from "node:sqlite";
import { type Event, EventRepository, EventUtils, type Filter } from "@nostr-relay/common";
import { NostrRelay } from "@nostr-relay/core";
import { Validator } from "@nostr-relay/validator";
import { WebSocketServer } from "ws";

/** Events on disk: durable before the relay says OK. */
class SqliteEvents extends EventRepository {
  readonly #db: DatabaseSync;

  constructor(file: string) {
    super();
    this.#db = new DatabaseSync(file);
    this.#db.exec("create table if not exists events (id text primary key, createdAt integer, event text)");
  }

  isSearchSupported(): boolean {
    return false;
  }

  upsert(event: Event): { isDuplicate: boolean } {
    const { changes } = this.#db
      .prepare("insert or ignore into events values (?, ?, ?)")
      .run(event.id, event.created_at, JSON.stringify(event));
    return { isDuplicate: Number(changes) === 0 };
  }

  find(filter: Filter): Event[] {
    const rows = this.#db
      .prepare("select event from events where createdAt between ? and ? order by createdAt desc, id")
      .all(filter.since ?? 0, filter.until ?? Number.MAX_SAFE_INTEGER);
    const { limit = 500, ...rest } = filter;
    return rows
      .map(({ event }) => JSON.parse(String(event)) as Event)
      .filter((event) => EventUtils.isMatchingFilter(event, rest))
      .slice(0, limit);
  }

  async destroy(): Promise<void> {
    this.#db.close();
  }
}

const [file = "", port = "0", hostname] = process.argv.slice(2);
const relay = new NostrRelay(new SqliteEvents(file), { ...(hostname !== undefined && { hostname }) });
const validator = new Validator();
const server = new WebSocketServer({ host: "127.0.0.1", port: Number(port) });
server.on("connection", (ws) => {
  relay.handleConnection(ws as never);
  ws.on("message", (data) => {
    void validator
      .validateIncomingMessage(data as never)
      .then((message) => relay.handleMessage(ws as never, message))
      .catch((error: unknown) => ws.send(JSON.stringify(["NOTICE", error instanceof Error ? error.message : String(error)])));
  });
  ws.on("close", () => relay.handleDisconnect(ws as never));
  ws.on("error", () => ws.close());
});
server.on("listening", () => {
  const address = server.address();
  process.stdout.write(`${typeof address === "object" ? address?.port : ""}\n`);
});
