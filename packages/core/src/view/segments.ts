import { type CallPart, Fault, type Part } from "@colloquy/schema";

/** The kinds of live text. */
export type Segment = "thinking" | "saying";

/**
 * Assembles the parts of one generation and enforces the order of the stream: segments alternate freely and never overlap. A violation
 * throws, because silently repaired text would hide a broken provider.
 */
export class Segments {
  readonly #parts: Part[] = [];
  #open: { kind: Segment; text: string } | undefined;

  /** The segment that has begun and not ended. */
  get open(): Segment | undefined {
    return this.#open?.kind;
  }

  /** Everything so far, including an unfinished segment. */
  parts(): readonly Part[] {
    if (!this.#open || this.#open.text === "") return this.#parts;
    return [...this.#parts, part(this.#open.kind, this.#open.text, undefined)];
  }

  start(kind: Segment): void {
    if (this.#open) throw outOfOrder(`${kind} began before ${this.#open.kind} had finished`);
    this.#open = { kind, text: "" };
  }

  /** Returns the offset of the chunk within its segment. */
  chunk(kind: Segment, text: string): number {
    if (this.#open?.kind !== kind) throw outOfOrder(`a piece of ${kind} came outside of its segment`);
    const offset = this.#open.text.length;
    this.#open.text += text;
    return offset;
  }

  finish(kind: Segment, opaque: unknown): void {
    if (this.#open?.kind !== kind) throw outOfOrder(`${kind} finished without having begun`);
    const { text } = this.#open;
    this.#open = undefined;
    // An empty segment is dropped, unless the provider needs its opaque data returned.
    if (text !== "" || opaque !== undefined) this.#parts.push(part(kind, text, opaque));
  }

  call(call: CallPart): void {
    if (this.#open) throw outOfOrder(`a call came inside of ${this.#open.kind}`);
    this.#parts.push(call);
  }

  end(): readonly Part[] {
    if (this.#open) throw outOfOrder(`the stream ended inside of ${this.#open.kind}`);
    return this.#parts;
  }
}

function part(kind: Segment, text: string, opaque: unknown): Part {
  const kept = opaque === undefined ? {} : { opaque };
  return kind === "thinking" ? { thinking: text, ...kept } : { saying: text, ...kept };
}

const outOfOrder = (what: string) => new Fault("model_malformed", "later", `The model's stream is out of order: ${what}.`);
