import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface Proxy {
  /** The database's address through the proxy. */
  readonly url: string;
  /** Replaces these bytes in the server's responses; both have the same length. */
  replace(from: string, to: string): void;
  /** The next commit's response never arrives: the server has made it, and the connection is gone. */
  loseNextCommit(): void;
  /** Ends every connection, and refuses new ones until `restore`. */
  cut(): void;
  restore(): void;
  /** New connections go there. */
  leadTo(url: string): void;
  /** The number of client messages. */
  sent(): number;
  /** The number of open sockets, of clients and to the database. */
  open(): number;
}

/** A proxy between a store and its database, or a client and its server. */
export async function proxyTo(database: string): Promise<Proxy> {
  let target = new URL(database);
  const sockets = new Set<Socket>();
  const replaced: [from: string, to: string][] = [];
  let [isLosing, isCut, sent] = [false, false, 0];
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.end();
      });
    }
    // The other connections, a session's heartbeat for example, keep their responses.
    let commits = false;
    client.on("data", (data) => {
      sent += 1;
      commits ||= data.includes("\0commit\0");
      upstream.write(data);
    });
    upstream.on("data", (data) => {
      if (isLosing && commits) {
        isLosing = false;
        return void client.destroy();
      }
      const text = replaced.reduce((now, [from, to]) => now.replaceAll(from, to), data.toString("latin1"));
      client.write(Buffer.from(text, "latin1"));
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const url = new URL(database);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    replace: (from, to) => void replaced.push([from, to]),
    loseNextCommit: () => void (isLosing = true),
    cut,
    restore: () => void (isCut = false),
    leadTo: (next) => void (target = new URL(next)),
    sent: () => sent,
    open: () => sockets.size,
  };
}
