import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";

const SLICE = 50;

/** A relay that answers the first request for the past with these frames, whatever was asked for. `asks`: it wants to know who connects. */
export async function startLiar(
  frames: readonly string[],
  { asks }: { readonly asks?: string } = {},
): Promise<{ readonly url: string; readonly heard: (readonly unknown[])[] }> {
  let isTold = false;
  const heard: (readonly unknown[])[] = [];
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  server.on("connection", (ws) => {
    if (asks !== undefined) ws.send(JSON.stringify(["AUTH", asks]));
    ws.on("message", (data) => {
      const message = JSON.parse((data as Buffer).toString()) as readonly unknown[];
      heard.push(message);
      const [type, id] = message;
      if (type === "AUTH") ws.send(JSON.stringify(["OK", (id as { id: string }).id, true, ""]));
      if (type !== "REQ") return;
      if (asks !== undefined && !heard.some(([one]) => one === "AUTH"))
        return ws.send(JSON.stringify(["CLOSED", id, "auth-required: who are you?"]));
      const wasTold = isTold;
      isTold ||= id === "past";
      void answer(ws, id === "past" && !wasTold ? frames : [], JSON.stringify(["EOSE", id]));
    });
  });
  await once(server, "listening");
  const address = server.address();
  return { url: `ws://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, heard };
}

/** In slices, so that it keeps its own thread for moments only. */
async function answer(ws: WebSocket, frames: readonly string[], last: string): Promise<void> {
  for (let at = 0; at < frames.length; at += SLICE) {
    for (const frame of frames.slice(at, at + SLICE)) ws.send(frame);
    await setImmediate();
  }
  ws.send(last);
}
