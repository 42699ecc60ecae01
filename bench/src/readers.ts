// Sockets that watch dialogs, for bench/src/server.ts. Frames are counted without parsing, since many clients share this process.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import type { Socket } from "node:net";

interface Wanted {
  readonly url: string;
  readonly token: string;
  readonly sockets: number;
  readonly dialogs: readonly string[];
}

class Reader {
  bytes = 0;
  chunks = 0;
  letters = 0;
  accepted = 0;
  #rest: Buffer = Buffer.alloc(0);
  onAccepted = () => {};

  take(part: Buffer): void {
    this.bytes += part.length;
    let data = this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part]);
    for (;;) {
      if (data.length < 2) break;
      const short = (data[1] ?? 0) & 127;
      const head = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (data.length < head) break;
      const length = short < 126 ? short : short === 126 ? data.readUInt16BE(2) : Number(data.readBigUInt64BE(2));
      if (data.length < head + length) break;
      this.#frame(data.subarray(head, head + length));
      data = data.subarray(head + length);
    }
    this.#rest = data;
  }

  #frame(frame: Buffer): void {
    if (frame.subarray(9, 14).equals(SAYING_CHUNK)) {
      const text = frame.indexOf(TEXT) + TEXT.length;
      this.chunks++;
      this.letters += frame.indexOf('"', text) - text;
    } else if (frame.subarray(9, 17).toString() === "accepted") {
      this.accepted++;
      this.onAccepted();
    }
  }
}

const SAYING_CHUNK = Buffer.from("sayin");
const TEXT = Buffer.from('"text":"');
const readers: Reader[] = [];

function masked(text: string): Buffer {
  const body = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, 0xfe, body.length >> 8, body.length & 255, 0, 0, 0, 0]), body]);
}

async function watch({ url, token, dialogs }: Wanted): Promise<void> {
  const asked = request(`${url}/ws`, {
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": randomBytes(16).toString("base64"),
      authorization: `Bearer ${token}`,
    },
  });
  asked.end();
  const [, socket, head] = (await once(asked, "upgrade")) as [unknown, Socket, Buffer];
  const reader = new Reader();
  readers.push(reader);
  reader.take(head);
  socket.on("data", (part: Buffer) => reader.take(part));
  const all = new Promise<void>((resolve) => {
    reader.onAccepted = () => reader.accepted === dialogs.length && resolve();
  });
  for (const rootId of dialogs) {
    const text = JSON.stringify({ type: "subscribe", requestId: rootId, dialog: { rootId }, after: 0 });
    socket.write(masked(text.padEnd(130)));
  }
  await all;
}

process.on("message", (message: Wanted | { readonly count: true }) => {
  if ("count" in message) {
    const letters = readers.map((reader) => reader.letters);
    process.send?.({
      bytes: readers.reduce((sum, reader) => sum + reader.bytes, 0),
      chunks: readers.reduce((sum, reader) => sum + reader.chunks, 0),
      least: Math.min(...letters),
      most: Math.max(...letters),
    });
    return;
  }
  void (async () => {
    for (let nth = 0; nth < message.sockets; nth += 20) {
      await Promise.all(Array.from({ length: Math.min(20, message.sockets - nth) }, () => watch(message)));
    }
    process.send?.({ ready: true });
  })();
});
