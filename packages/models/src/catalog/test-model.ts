import { Fault, type Usage } from "@colloquy/schema";
import type { Model, ModelRequest } from "../port.ts";

export interface ModelTest {
  /** It answered, and called the tool as asked. */
  readonly ok: boolean;
  /** For people: what works, or what doesn't and what to do. */
  readonly message: string;
  readonly callsTools: boolean;
  readonly ms: number;
  readonly usage: Usage | undefined;
  readonly fault: Fault | undefined;
}

const REQUEST: ModelRequest = {
  system: ["You test a connection. Do what you are asked, with as few words as possible."],
  messages: [{ role: "user", text: 'Call the tool "report" with the word "ready". Say nothing else.' }],
  // The tool is offered and requested, but not forced: some models refuse a request that forces one.
  tools: [
    {
      name: "report",
      description: "Reports one word to the person who waits for it.",
      input: { type: "object", properties: { word: { type: "string" } }, required: ["word"], additionalProperties: false },
    },
  ],
  agent: "test",
  course: 1,
  step: 1,
  dialog: "test",
  sessionId: undefined,
};

/** One small, real call: does it answer, and can it call a tool? Throws only if the signal is aborted. */
export async function testModel(model: Model, signal: AbortSignal, now: () => number = Date.now): Promise<ModelTest> {
  const begun = now();
  if (model.provider === "scripted")
    return { ok: true, message: `${model.name} plays its script.`, callsTools: true, ms: 0, usage: undefined, fault: undefined };
  try {
    let callsTools = false;
    let usage: Usage | undefined;
    for await (const chunk of model.stream(REQUEST, signal)) {
      if (chunk.type === "call") callsTools ||= chunk.tool === "report";
      if (chunk.type === "finished") usage = chunk.usage;
    }
    const message = callsTools
      ? `${placeOf(model)} answers and calls tools.`
      : `${placeOf(model)} did not call the tool that it was asked to. Give this agent "asks: text" or another model.`;
    return { ok: callsTools, message, callsTools, ms: now() - begun, usage, fault: undefined };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ok: false, message: error.message, callsTools: false, ms: now() - begun, usage: undefined, fault: error };
  }
}

/** `qwen-tiny at 127.0.0.1:8080`, `claude-sonnet-5 at anthropic` */
function placeOf({ name, provider }: Model): string {
  const id = name.slice(name.indexOf("/") + 1);
  return `${id} at ${/@([^#]+)/.exec(provider)?.[1] ?? provider.replace(/#.*/, "")}`;
}
