import { type LiveEvent, runKey } from "@colloquy/schema";
import { demand } from "../broken.ts";

interface Saying {
  segment: "thinking" | "saying" | undefined;
  length: number;
}

/** Live text, as one listener hears it: segments follow one another and never overlap. */
export class LiveOrder {
  readonly #who: string;
  readonly #hasComeLate: boolean;
  readonly #runs = new Map<string, Saying>();

  /** `hasComeLate`: it may have started listening in the middle. */
  constructor(who: string, hasComeLate = false) {
    this.#who = who;
    this.#hasComeLate = hasComeLate;
  }

  /** The connection is gone: text in progress is sent again from its beginning. */
  forget(): void {
    this.#runs.clear();
  }

  hear(event: LiveEvent): void {
    const key = runKey(event.dialog.selfId, event.agent);
    const run = this.#runs.get(key);
    if (!run && this.#hasComeLate && event.type !== "generating_start_evt") return;
    const wrong = (what: string) => () => `${this.#who} heard ${event.type} ${what} (${key}, generation ${event.genseq})`;
    switch (event.type) {
      case "generating_start_evt":
        this.#runs.set(key, { segment: undefined, length: 0 });
        return;
      case "generating_finish_evt":
        demand(!run?.segment, "SI8", wrong(`inside of ${run?.segment}`));
        this.#runs.delete(key);
        return;
      case "stream_error_evt":
        this.#runs.delete(key);
        return;
      case "thinking_start_evt":
      case "saying_start_evt":
        demand(run && !run.segment, "SI8", wrong(run ? `inside of ${run.segment}` : "outside of a generation"));
        run.segment = event.type === "thinking_start_evt" ? "thinking" : "saying";
        run.length = 0;
        return;
      case "thinking_chunk_evt":
      case "saying_chunk_evt":
        demand(run?.segment === (event.type === "thinking_chunk_evt" ? "thinking" : "saying"), "SI8", wrong("outside of its segment"));
        demand(run.length === event.offset, "SI8", wrong(`at ${event.offset} instead of ${run.length}`));
        run.length += event.text.length;
        return;
      case "thinking_finish_evt":
      case "saying_finish_evt":
        demand(run?.segment === (event.type === "thinking_finish_evt" ? "thinking" : "saying"), "SI8", wrong("without its beginning"));
        run.segment = undefined;
        return;
      default:
        return;
    }
  }
}
