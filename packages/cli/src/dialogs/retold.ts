import type { LiveEvent, TreeEvent } from "@colloquy/library";
import { type CallPart, isCall, isSaying, isThinking, type Recorded, runKey } from "@colloquy/schema";

/** A subscriber may join a server in the middle of a generation. Text that wasn't received live is replayed from the record. */
export class Retold {
  readonly #tell: (event: LiveEvent) => void;
  /** Agents whose live text was received, by dialog and agent. */
  readonly #speaking = new Set<string>();
  readonly #calls = new Map<string, CallPart>();
  readonly #heardCalls = new Set<string>();

  constructor(tell: (event: LiveEvent) => void) {
    this.#tell = tell;
  }

  live(event: LiveEvent): void {
    const key = runKey(event.dialog.selfId, event.agent);
    if (event.type === "generating_start_evt") this.#speaking.add(key);
    if (event.type === "stream_error_evt" || event.type === "retry_evt") this.#speaking.delete(key);
    if (event.type === "tool_start_evt") this.#heardCalls.add(event.call);
    this.#tell(event);
  }

  recorded({ dialog, event }: Recorded): void {
    if (event.type === "step.ended") this.#step(dialog, event);
    if (event.type === "call.ended") this.#call(dialog, event);
  }

  /** The interrupted text is replayed from its beginning, or has been recorded meanwhile. */
  dropped(): void {
    this.#speaking.clear();
  }

  #step(dialog: Recorded["dialog"], event: Extract<TreeEvent, { type: "step.ended" }>): void {
    for (const part of event.parts) if (isCall(part)) this.#calls.set(part.call, part);
    if (this.#speaking.delete(runKey(dialog.selfId, event.agent))) return;
    const place = { dialog, agent: event.agent, course: 0, genseq: 0 };
    this.#tell({ type: "generating_start_evt", ...place });
    for (const part of event.parts) {
      const [kind, text] = isThinking(part) ? ["thinking" as const, part.thinking] : isSaying(part) ? ["saying" as const, part.saying] : [];
      if (kind === undefined || text === undefined) continue;
      this.#tell({ type: `${kind}_start_evt`, ...place });
      this.#tell({ type: `${kind}_chunk_evt`, ...place, offset: 0, text });
      this.#tell({ type: `${kind}_finish_evt`, ...place });
    }
    this.#tell({ type: "generating_finish_evt", ...place });
  }

  #call(dialog: Recorded["dialog"], event: Extract<TreeEvent, { type: "call.ended" }>): void {
    const part = this.#calls.get(event.call);
    this.#calls.delete(event.call);
    if (this.#heardCalls.delete(event.call) || !part || part.kind === "house" || event.outcome === "refused") return;
    const place = { dialog, agent: event.agent, course: 0, genseq: 0, call: event.call, tool: part.tool };
    this.#tell({ type: "tool_start_evt", ...place, input: part.input });
    this.#tell({ type: "tool_finish_evt", ...place, failed: event.outcome !== undefined });
  }
}
