import type { ServerPacket } from "@colloquy/schema";

export type Format = "ws" | "sse";

/** An outgoing packet, encoded once for all readers. */
export class Frame {
  readonly packet: ServerPacket;
  #ws: Buffer | undefined;
  #sse: Buffer | undefined;

  constructor(packet: ServerPacket) {
    this.packet = packet;
  }

  as(format: Format): Buffer {
    return format === "ws" ? (this.#ws ??= textFrame(JSON.stringify(this.packet))) : (this.#sse ??= sseFrame(this.packet));
  }
}

/** An unmasked, unfragmented WebSocket frame with a text (RFC 6455, 5.2). */
function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = 0x81;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, head);
  return frame;
}

function sseFrame(packet: ServerPacket): Buffer {
  const place = placeOf(packet);
  const id = place === undefined ? "" : `id: ${place}\n`;
  return Buffer.from(`${id}event: ${packet.type}\ndata: ${JSON.stringify(packet)}\n\n`);
}

/**
 * The position from which a reader who has this packet resumes. In a tree it moves at the end of a commit. Several of a project's
 * packets may belong to one commit and none is marked as the last, so that commit is sent again.
 */
function placeOf(packet: ServerPacket): number | undefined {
  if (packet.type === "recorded") return packet.last ? packet.seq : undefined;
  return "projectId" in packet && "pos" in packet ? packet.pos - 1 : undefined;
}
