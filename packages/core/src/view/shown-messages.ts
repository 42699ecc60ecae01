import type { Image, ModelMessage } from "@colloquy/schema";
import { messageTokens } from "../step/message-size.ts";

/**
 * The messages that an agent was shown, in order: append-only. If its window is too small for all of them, it is sent the newest that fit,
 * after a line that says what is missing; that starting point stays until it is too small again.
 */
export class ShownMessages {
  #all: ModelMessage[] = [];
  /** What is sent if not all of it fits. */
  #newest: ModelMessage[] | undefined;
  #images: Image[] = [];
  #tokens = 0;

  get messages(): readonly ModelMessage[] {
    return this.#newest ?? this.#all;
  }

  get length(): number {
    return this.#all.length;
  }

  /** Estimated tokens of what is sent. */
  get tokens(): number {
    return this.#tokens;
  }

  /** The pictures in what is sent. */
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

  /** So that half of the room is free again. Messages from `keep` on are always sent. */
  fit(room: number, keep: number, line: (missing: number) => string): void {
    if (this.#tokens <= room) return;
    let from = keep;
    let tokens = this.#all.slice(keep).reduce((sum, message) => sum + messageTokens(message), 0);
    for (let at = keep - 1; at >= 0 && tokens <= room / 2; at--) {
      const message = this.#all[at];
      tokens += message ? messageTokens(message) : 0;
      // A call is not separated from its result.
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
