import type { LiveEvent, RootId } from "@colloquy/schema";

/** Chunks of one generation are at least this far apart. */
const INTERVAL_MS = 300;

interface Chunk {
  readonly rootId: RootId;
  readonly agent: string;
  readonly text: string;
  /** Counted from 1 within a generation. */
  readonly sequence: number;
}

interface Generation {
  readonly rootId: RootId;
  readonly agent: string;
  text: string;
  sequence: number;
  timer: NodeJS.Timeout | undefined;
}

/** Gathers words as they come into chunks: in order, and not too many. */
export class WordStream {
  readonly #emit: (chunk: Chunk) => void;
  readonly #generations = new Map<string, Generation>();

  constructor(emit: (chunk: Chunk) => void) {
    this.#emit = emit;
  }

  hear({ type, dialog, agent, course, genseq, ...event }: LiveEvent): void {
    if (dialog.selfId !== (dialog.rootId as string)) return;
    const key = `${dialog.rootId}/${agent}/${course}/${genseq}`;
    if (type === "saying_chunk_evt" && "text" in event) {
      const generation = this.#generations.get(key) ?? { rootId: dialog.rootId, agent, text: "", sequence: 0, timer: undefined };
      this.#generations.set(key, generation);
      generation.text += event.text;
      generation.timer ??= setTimeout(() => this.#flush(generation), INTERVAL_MS);
    }
    if (type !== "generating_finish_evt" && type !== "stream_error_evt") return;
    const generation = this.#generations.get(key);
    this.#generations.delete(key);
    if (generation) this.#flush(generation);
  }

  stop(): void {
    for (const { timer } of this.#generations.values()) clearTimeout(timer);
    this.#generations.clear();
  }

  #flush(generation: Generation): void {
    clearTimeout(generation.timer);
    generation.timer = undefined;
    const { rootId, agent, text } = generation;
    if (text === "") return;
    generation.text = "";
    generation.sequence += 1;
    this.#emit({ rootId, agent, text, sequence: generation.sequence });
  }
}
