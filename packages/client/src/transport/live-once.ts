import { type LiveEvent, runKey, type TreeEvent } from "@colloquy/schema";

interface Segment {
  length: number;
  isFinished: boolean;
}

interface Generation {
  readonly course: number;
  readonly genseq: number;
  readonly segments: Segment[];
  /** The number of the current segment. */
  at: number;
}

/** After these, no generation is in progress in the dialog. */
const ENDS: ReadonlySet<TreeEvent["type"]> = new Set(["step.ended", "step.cut", "turn.ended", "dialog.stopped", "course.started"]);

/**
 * Removes repeated live output. A second subscription over the same connection replays the current output from its beginning; only the new
 * part passes.
 */
export class LiveOnce {
  readonly #generations = new Map<string, Generation>();
  /** The attempt that each paused run waits for. */
  readonly #pauses = new Map<string, number>();
  #isRepeating = false;

  /** Expect a replay from here on. */
  repeat(): void {
    this.#isRepeating = true;
  }

  /** Forgets everything for a new connection, possibly to another process with different output. */
  forget(): void {
    this.#generations.clear();
    this.#pauses.clear();
    this.#isRepeating = false;
  }

  recorded(selfId: string, type: TreeEvent["type"]): void {
    if (!ENDS.has(type)) return;
    for (const key of this.#generations.keys()) if (key.startsWith(`${selfId}/`)) this.#generations.delete(key);
  }

  hear(event: LiveEvent): readonly LiveEvent[] {
    const key = runKey(event.dialog.selfId, event.agent);
    const known = this.#generations.get(key);
    switch (event.type) {
      case "generating_start_evt": {
        const isSame = known?.course === event.course && known.genseq === event.genseq;
        if (this.#isRepeating && isSame) {
          known.at = -1;
          return [];
        }
        this.#pauses.delete(key);
        this.#generations.set(key, { course: event.course, genseq: event.genseq, segments: [], at: -1 });
        return [event];
      }
      case "thinking_start_evt":
      case "saying_start_evt": {
        if (!known) return [event];
        known.at += 1;
        if (known.at < known.segments.length) return [];
        known.segments.push({ length: 0, isFinished: false });
        return [event];
      }
      case "thinking_chunk_evt":
      case "saying_chunk_evt": {
        const segment = known?.segments[known.at];
        if (!segment) return [event];
        const heard = segment.length - event.offset;
        if (heard >= event.text.length) return [];
        segment.length = event.offset + event.text.length;
        return heard <= 0 ? [event] : [{ ...event, offset: event.offset + heard, text: event.text.slice(heard) }];
      }
      case "thinking_finish_evt":
      case "saying_finish_evt": {
        const segment = known?.segments[known.at];
        if (!segment) return [event];
        if (segment.isFinished) return [];
        segment.isFinished = true;
        return [event];
      }
      case "generating_finish_evt":
      case "stream_error_evt":
        this.#generations.delete(key);
        return [event];
      case "retry_evt": {
        this.#generations.delete(key);
        const isSame = this.#isRepeating && this.#pauses.get(key) === event.attempt;
        this.#pauses.set(key, event.attempt);
        return isSame ? [] : [event];
      }
      default:
        return [event];
    }
  }
}
