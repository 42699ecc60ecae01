import { Disconnected, type SocketMaker } from "@colloquy/client";
import { Refused, type ServerPacket } from "@colloquy/schema";

/** Sends one packet over a new socket, as a program without our client does. Throws `Refused`, or `Disconnected` if no answer came. */
export function packetOver(WebSocket: SocketMaker, packet: object): Promise<unknown> {
  return new Promise((accepted, refused) => {
    const socket = new WebSocket("ws://simulated.invalid/ws", ["colloquy"]);
    socket.onclose = () => refused(new Disconnected("The connection was lost."));
    socket.onmessage = ({ data }) => {
      const heard = JSON.parse(String(data)) as ServerPacket;
      if (heard.type === "welcome") return socket.send(JSON.stringify({ ...packet, requestId: "1" }));
      if (heard.type !== "accepted" && heard.type !== "refused") return;
      socket.close();
      if (heard.type === "accepted") accepted(heard);
      else refused(new Refused(heard));
    };
  });
}
