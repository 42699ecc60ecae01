import { defineTool, modelRunner, type Runner, type Tool } from "@colloquy/runtime";
import type { Model, ModelChunk, ModelRequest } from "@colloquy/models";
import { z } from "zod";
import { nextStep, SEND, WAIT } from "./next-step.ts";
import type { RemoteAddress, RemoteAgent } from "./remote-agent.ts";
import { toOutput } from "./state.ts";

/** A task elsewhere may take weeks; a person can stop it at any time. */
const WAIT_MS = 365 * 24 * 60 * 60 * 1_000;
const SEND_MS = 10 * 60 * 1_000;

/** What makes a member of the team one that works elsewhere. */
interface Elsewhere {
  readonly tools: readonly Tool[];
  readonly runner: Runner;
}

/**
 * An agent elsewhere as a member. Its steps are decided here, from the log alone: a call that sends, a call that waits. Each call is recorded
 * before it runs and may run again, so what is durable is always enough to go on after a crash.
 */
export function memberElsewhere(name: string, address: RemoteAddress): Elsewhere {
  return { tools: toolsFor(name, address), runner: modelRunner(decided(name, new URL(address.url).host)) };
}

function decided(name: string, host: string): Model {
  return {
    name: `a2a/${host}`,
    provider: `a2a ${host}`,
    contextWindow: undefined,
    price: undefined,
    // oxlint-disable-next-line typescript/require-await
    async *stream({ messages, tools }: ModelRequest): AsyncGenerator<ModelChunk> {
      const mayAskBack = tools.some((tool) => tool.name === "tellaskBack");
      const { say, call } = nextStep({ name, messages, mayAskBack });
      if (say !== undefined) {
        yield { type: "saying.started" };
        yield { type: "saying.chunk", text: say };
        yield { type: "saying.finished" };
      }
      if (call) yield { type: "call", ...call };
      yield { type: "finished", usage: { input: 0, output: 0 }, sessionId: undefined };
    },
  };
}

function toolsFor(name: string, address: RemoteAddress): readonly Tool[] {
  // The protocol's client is loaded when it is first needed.
  const remote = async (signal: AbortSignal): Promise<RemoteAgent> => {
    const { RemoteAgent: Loaded } = await import("./remote-agent.ts");
    return new Loaded(address, signal);
  };
  const id = z.string().min(1);
  return [
    defineTool({
      name: SEND,
      description: `Sends a message to ${name}, who works elsewhere.`,
      input: z.strictObject({ text: z.string(), task: id.optional(), context: id.optional() }),
      // The same call has the same message id.
      repeatable: true,
      timeoutMs: SEND_MS,
      run: async (input, { callId, signal }) => toOutput(await (await remote(signal)).send({ ...input, messageId: callId })),
    }),
    defineTool({
      name: WAIT,
      description: `Waits for ${name}, who works elsewhere.`,
      input: z.strictObject({ task: id, context: z.string(), past: id.optional() }),
      reads: true,
      polls: true,
      timeoutMs: WAIT_MS,
      run: async ({ task, past }, { signal }) => toOutput(await (await remote(signal)).settled(task, past)),
    }),
  ];
}
