import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A way to a server that can be cut, or go silent: then nothing arrives, and nobody is told. */
export class TcpGate {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  #isSilent = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async to(port: number): Promise<TcpGate> {
    const server = createServer();
    const gate = new TcpGate(server);
    server.on("connection", (client) => gate.#join(client, connect(port, "127.0.0.1")));
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    return gate;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #join(client: Socket, upstream: Socket): void {
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(from);
      from.on("data", (data) => void to.write(data));
      from.on("error", () => undefined);
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      if (this.#isSilent) from.pause();
    }
    if (this.#isCut) client.destroy();
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  silence(): void {
    this.#isSilent = true;
    for (const socket of this.#sockets) socket.pause();
  }

  restore(): void {
    [this.#isCut, this.#isSilent] = [false, false];
    for (const socket of this.#sockets) socket.resume();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}
