import type { Model, ModelChunk, ModelRequest } from "@colloquy/models";
import { Fault } from "@colloquy/schema";

/** What the model does in one step. */
export interface Told {
  readonly think?: string;
  readonly say?: string;
  readonly calls?: readonly { readonly tool: string; readonly input?: unknown; readonly raw?: string }[];
  readonly usage?: { readonly input: number; readonly output: number };
  /** The provider's session id, given at the end. */
  readonly session?: string;
  /** The reply is cut off at the output limit. */
  readonly cut?: boolean;
  /** Thrown instead of ending normally. */
  readonly fault?: Fault;
  /** The step waits for this promise, or until it is aborted. */
  readonly hold?: Promise<void>;
  /** Raw chunks, for streams that break the rules. */
  readonly chunks?: readonly ModelChunk[];
  readonly stream?: () => AsyncIterable<ModelChunk>;
}

export const say = (text: string): Told => ({ say: text });
export const call = (tool: string, input: unknown = {}): Told => ({ calls: [{ tool, input }] });
export const calls = (...all: readonly (readonly [tool: string, input: unknown])[]): Told => ({
  calls: all.map(([tool, input]) => ({ tool, input })),
});
/** Asks another agent once, and waits for it. */
export const ask = (agent: string, content: string): Told => call("tellaskSessionless", { targetAgentId: agent, tellaskContent: content });
/** Asks a person, and waits for the answer. */
export const askPerson = (content: string, more: Readonly<Record<string, unknown>> = {}): Told =>
  call("askHuman", { tellaskContent: content, ...more });
export const fail = (fault: Fault): Told => ({ fault });

/** For each agent, its steps in order, or a function of its request. */
export type Telling = Readonly<Record<string, readonly Told[] | ((request: ModelRequest) => Told)>>;

/**
 * A stateless model: the number of steps in the agent's history determines the next one. So a new process after a crash continues where the
 * old one was.
 */
export function toldModel(telling: Telling, requests: ModelRequest[] = [], contextWindow = 100_000): Model {
  const faults = new Set<Told>();
  return {
    name: "told/model",
    provider: "told",
    contextWindow,
    price: { input: 1, output: 2 },
    async *stream(request, signal): AsyncGenerator<ModelChunk> {
      requests.push({ ...request, messages: [...request.messages] });
      const steps = telling[request.agent];
      const nth = request.messages.filter((message) => message.role === "assistant").length;
      const all = typeof steps === "function" ? [] : (steps ?? []).filter((told) => !faults.has(told));
      const told = typeof steps === "function" ? steps(request) : all[nth];
      if (!told) throw new Fault("script_ended", "never", `The test defines no reply for step ${nth + 1} of ${request.agent}.`);
      if (told.hold) await Promise.race([told.hold, aborted(signal)]);
      signal.throwIfAborted();
      if (told.stream) yield* abortable(told.stream(), signal);
      for (const chunk of told.chunks ?? chunksOf(told)) yield chunk;
      if (!told.fault) return;
      if (told.fault.retry !== "never") faults.add(told);
      throw told.fault;
    },
  };
}

function* chunksOf(told: Told): Generator<ModelChunk> {
  if (told.think !== undefined) {
    yield { type: "thinking.started" };
    yield { type: "thinking.chunk", text: told.think };
    yield { type: "thinking.finished" };
  }
  if (told.say !== undefined) {
    yield { type: "saying.started" };
    for (const word of told.say.split(/(?<= )/)) yield { type: "saying.chunk", text: word };
    yield { type: "saying.finished" };
  }
  for (const { tool, input, raw } of told.calls ?? []) yield { type: "call", tool, input: input ?? {}, ...(raw !== undefined && { raw }) };
  if (told.fault) return;
  const reason = told.cut ? { reason: "length" as const } : {};
  yield { type: "finished", usage: told.usage ?? { input: 100, output: 10 }, sessionId: told.session, ...reason };
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

async function* abortable(stream: AsyncIterable<ModelChunk>, signal: AbortSignal): AsyncGenerator<ModelChunk> {
  const chunks = stream[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([chunks.next(), aborted(signal)]);
    if (next.done) return;
    yield next.value;
  }
}
