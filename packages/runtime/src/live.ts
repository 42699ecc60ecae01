import type { DialogId, RootId } from "@colloquy/schema";

/** What is said right now. Shown as live, never stored; the recorded step supersedes it. */
export type SegmentEvent =
  | { readonly type: "generating_start_evt" }
  | { readonly type: "thinking_start_evt" | "saying_start_evt" }
  | { readonly type: "thinking_chunk_evt" | "saying_chunk_evt"; readonly offset: number; readonly text: string }
  | { readonly type: "thinking_finish_evt" | "saying_finish_evt" }
  | { readonly type: "generating_finish_evt" }
  | { readonly type: "stream_error_evt"; readonly message: string }
  /** A tool has begun or ended; for people who watch. */
  | { readonly type: "tool_start_evt"; readonly call: string; readonly tool: string; readonly input: unknown }
  | { readonly type: "tool_finish_evt"; readonly call: string; readonly tool: string; readonly failed: boolean }
  /** The next attempt comes after this pause. */
  | { readonly type: "retry_evt"; readonly message: string; readonly attempt: number; readonly pauseMs: number };

export type LiveEvent = SegmentEvent & {
  readonly dialog: { readonly rootId: RootId; readonly selfId: DialogId };
  readonly agent: string;
  readonly course: number;
  readonly genseq: number;
};

/** Listeners that come and go. One that throws is reported and keeps neither the others from hearing nor us from working. */
export class Listeners<Event> {
  readonly #all = new Set<(event: Event) => void>();
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  add(listener: (event: Event) => void): () => void {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  get size(): number {
    return this.#all.size;
  }

  tell(event: Event): void {
    for (const listener of this.#all) {
      try {
        listener(event);
      } catch (error) {
        this.#report(error);
      }
    }
  }
}
