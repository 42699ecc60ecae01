import type { Segments } from "@colloquy/core";
import type { Model, ModelRequest, Price } from "@colloquy/models";
import { type CallPart, unreachable, type Part, type Usage } from "@colloquy/schema";
import type { SegmentEvent } from "../watch/live.ts";

/** A call as received, before the loop knows whether it can run. */
export interface RawCall {
  readonly tool: string;
  readonly input: unknown;
  /** The raw text, if the input couldn't be parsed. */
  readonly raw: string | undefined;
  readonly opaque: unknown;
}

export interface StepOutput {
  readonly parts: readonly Part[];
  readonly usage: Usage | undefined;
  readonly sessionId: string | undefined;
  /** The provider cut it off at its output limit. */
  readonly finish?: "length" | undefined;
}

/** What the loop passes to a step. */
export interface StepIo {
  /** Names a call and says how its tool runs. */
  readonly call: (raw: RawCall) => CallPart;
  readonly live: (event: SegmentEvent) => void;
  /** Receives everything as it arrives, so that it can be kept if the step is interrupted. */
  readonly segments: Segments;
  readonly signal: AbortSignal;
}

/** Takes one step for an agent: a model, or another program. Throws `Fault`. */
export interface Runner {
  readonly name: string;
  /** Runners with the same lane share a limit of steps in flight; runners with the same name share the pause after a fault. */
  readonly lane: string;
  readonly price: Price | undefined;
  readonly contextWindow: number | undefined;
  step(request: ModelRequest, io: StepIo): Promise<StepOutput>;
}

export const modelRunner = (model: Model): Runner => ({
  name: model.name,
  lane: model.provider,
  price: model.price,
  contextWindow: model.contextWindow,
  async step(request, { call, live, segments, signal }) {
    let end: Pick<StepOutput, "usage" | "sessionId" | "finish"> = { usage: undefined, sessionId: undefined };
    for await (const chunk of model.stream(request, signal)) {
      signal.throwIfAborted();
      switch (chunk.type) {
        case "thinking.started":
          segments.start("thinking");
          live({ type: "thinking_start_evt" });
          break;
        case "thinking.chunk":
          live({ type: "thinking_chunk_evt", offset: segments.chunk("thinking", chunk.text), text: chunk.text });
          break;
        case "thinking.finished":
          segments.finish("thinking", chunk.opaque);
          live({ type: "thinking_finish_evt" });
          break;
        case "saying.started":
          segments.start("saying");
          live({ type: "saying_start_evt" });
          break;
        case "saying.chunk":
          live({ type: "saying_chunk_evt", offset: segments.chunk("saying", chunk.text), text: chunk.text });
          break;
        case "saying.finished":
          segments.finish("saying", chunk.opaque);
          live({ type: "saying_finish_evt" });
          break;
        case "call":
          segments.call(call({ tool: chunk.tool, input: chunk.input, raw: chunk.raw, opaque: chunk.opaque }));
          break;
        case "finished":
          end = { usage: chunk.usage, sessionId: chunk.sessionId, finish: chunk.reason };
          break;
        default:
          unreachable(chunk);
      }
    }
    signal.throwIfAborted();
    return { parts: segments.end(), ...end };
  },
});
