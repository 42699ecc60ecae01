import type { Image, ModelMessage } from "@colloquy/schema";
import { messageTokens } from "../step/message-size.ts";

/**
 * The messages an agent was shown, in order; append-only. If they exceed its window, only the newest that fit are sent, after a line that
 * says how many are missing. That starting point stays until the rest no longer fits.
 */
export class ShownMessages {
  #all: ModelMessage[] = [];
  /** What is sent instead if not everything fits. */
  #newest: ModelMessage[] | undefined;
  #images: Image[] = [];
  #tokens = 0;

  get messages(): readonly ModelMessage[] {
    return this.#newest ?? this.#all;
  }

  get length(): number {
    return this.#all.length;
  }

  /** Estimated tokens of the messages sent. */
  get tokens(): number {
    return this.#tokens;
  }

  /** The images in the messages sent. */
  get images(): readonly Image[] {
    return this.#images;
  }

  append(message: ModelMessage): void {
    this.#all.push(message);
    this.#newest?.push(message);
    this.#count(message);
  }

  clear(): void {
    this.#all = [];
    this.#newest = undefined;
    this.#images = [];
    this.#tokens = 0;
  }

  /** Drops old messages until half of the room is free. Messages from `keep` on are always sent. */
  fit(room: number, keep: number, line: (missing: number) => string): void {
    if (this.#tokens <= room) return;
    let from = keep;
    let tokens = this.#all.slice(keep).reduce((sum, message) => sum + messageTokens(message), 0);
    for (let at = keep - 1; at >= 0 && tokens <= room / 2; at--) {
      const message = this.#all[at];
      tokens += message ? messageTokens(message) : 0;
      // A call is never separated from its result.
      if (tokens <= room / 2 && message?.role !== "result") from = at;
    }
    while (from > 0 && this.#all[from]?.role === "result") from--;
    if (from === 0) return;
    this.#newest = [{ role: "system", text: line(from) }, ...this.#all.slice(from)];
    this.#images = [];
    this.#tokens = 0;
    for (const message of this.#newest) this.#count(message);
  }

  #count(message: ModelMessage): void {
    this.#tokens += messageTokens(message);
    if (message.role === "user" && message.images) this.#images.push(...message.images);
  }
}
