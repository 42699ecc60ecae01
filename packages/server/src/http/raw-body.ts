import type { IncomingMessage } from "node:http";
import { Refused } from "@colloquy/schema";
import { tooLarge } from "../api/handler.ts";

/** A request's whole body. One that is too large is read to its end and dropped, so that the sender gets the refusal. */
export async function bytesOf(raw: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of raw) {
      length += (part as Buffer).length;
      if (length <= maxBytes) parts.push(part as Buffer);
    }
  } catch {
    // The sender has left or took too long, so nobody reads this.
    throw new Refused({ code: "bad_request", message: "The body was incomplete." });
  }
  if (length > maxBytes) throw tooLarge(maxBytes);
  return Buffer.concat(parts);
}
