import { type LiveEvent, type RootId, runKey } from "@colloquy/schema";

interface Segment {
  readonly kind: "thinking" | "saying";
  readonly texts: string[];
  isFinished: boolean;
}

interface Generation {
  readonly start: LiveEvent;
  readonly segments: Segment[];
}

/** The model failed and is retried after a pause. */
type Pause = Extract<LiveEvent, { type: "retry_evt" }>;

const PIECES: ReadonlySet<LiveEvent["type"]> = new Set([
  "thinking_start_evt",
  "thinking_chunk_evt",
  "thinking_finish_evt",
  "saying_start_evt",
  "saying_chunk_evt",
  "saying_finish_evt",
]);

/** The text so far of each generation in progress, for readers who join in the middle. */
export class SoFar {
  readonly #trees = new Map<RootId, Map<string, Generation | Pause>>();

  /** False for a chunk of a generation that has ended or whose start was missed: readers could not place it. */
  hear(event: LiveEvent): boolean {
    const { rootId, selfId } = event.dialog;
    const key = runKey(selfId, event.agent);
    if (event.type === "generating_start_evt" || event.type === "retry_evt") {
      const tree = this.#trees.get(rootId) ?? new Map<string, Generation | Pause>();
      this.#trees.set(rootId, tree);
      tree.set(key, event.type === "retry_evt" ? event : { start: event, segments: [] });
      return true;
    }
    const tree = this.#trees.get(rootId);
    const generation = tree?.get(key);
    if (!tree || !generation || "type" in generation) return !PIECES.has(event.type);
    switch (event.type) {
      case "thinking_start_evt":
      case "saying_start_evt":
        generation.segments.push({ kind: event.type === "saying_start_evt" ? "saying" : "thinking", texts: [], isFinished: false });
        return true;
      case "thinking_chunk_evt":
      case "saying_chunk_evt":
        generation.segments.at(-1)?.texts.push(event.text);
        return true;
      case "thinking_finish_evt":
      case "saying_finish_evt": {
        const last = generation.segments.at(-1);
        if (last) last.isFinished = true;
        return true;
      }
      case "generating_finish_evt":
      case "stream_error_evt":
        tree.delete(key);
        if (tree.size === 0) this.#trees.delete(rootId);
        return true;
      default:
        return true;
    }
  }

  /** Nobody here reads it any longer. */
  forget(rootId: RootId): void {
    this.#trees.delete(rootId);
  }

  /** Later readers get it from the log. */
  recorded(rootId: RootId, selfId: string, agent: string): void {
    const tree = this.#trees.get(rootId);
    if (tree?.delete(runKey(selfId, agent)) && tree.size === 0) this.#trees.delete(rootId);
  }

  /** The dialog was stopped, or a turn or course of it ended: it retries nothing. */
  ended(rootId: RootId, selfId: string): void {
    const tree = this.#trees.get(rootId);
    for (const [key, one] of tree ?? []) if ("type" in one && one.dialog.selfId === selfId) tree?.delete(key);
    if (tree?.size === 0) this.#trees.delete(rootId);
  }

  /** The starts of the generations in progress, in one tree or in all. */
  starts(rootId?: RootId): readonly LiveEvent[] {
    const trees = rootId === undefined ? [...this.#trees.values()] : [this.#trees.get(rootId) ?? new Map<string, Generation | Pause>()];
    return trees.flatMap((tree) => [...tree.values()].flatMap((one) => ("type" in one ? [] : [one.start])));
  }

  /** The generations in progress, each as one chunk; with `selfId`, of that dialog only. */
  of(rootId: RootId, selfId?: string): readonly LiveEvent[] {
    const generations = [...(this.#trees.get(rootId)?.values() ?? [])];
    return generations
      .filter((one) => selfId === undefined || ("type" in one ? one : one.start).dialog.selfId === selfId)
      .flatMap((one) => {
        if ("type" in one) return [one];
        const { start, segments } = one;
        const { dialog, agent, course, genseq } = start;
        const place = { dialog, agent, course, genseq };
        return [
          start,
          ...segments.flatMap(({ kind, texts, isFinished }): LiveEvent[] => {
            const text = texts.join("");
            return [
              { type: `${kind}_start_evt`, ...place },
              ...(text === "" ? [] : [{ type: `${kind}_chunk_evt` as const, ...place, offset: 0, text }]),
              ...(isFinished ? [{ type: `${kind}_finish_evt` as const, ...place }] : []),
            ];
          }),
        ];
      });
  }
}
