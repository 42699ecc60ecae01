import { Fault, type FaultCode, type Script, type ScriptAction } from "@colloquy/schema";
import type { Model, ModelChunk, ModelRequest } from "../port.ts";
import { fittingRule, lastHeard } from "./script-rule.ts";
import { filled } from "./script-words.ts";
import { durationMs, type Sleep, sleep as realSleep } from "../providers/sleep.ts";

export interface ScriptedModelOptions {
  readonly sleep?: Sleep;
  /** The script's location, for the message that no rule matches. */
  readonly file?: string;
}

/**
 * A model that plays a script: no key, no network, and the same answer to the same request, also after a crash. Its only memory is how
 * often a `fail` has failed, which no request shows.
 */
export function scriptedModel(name: string, script: Script | (() => Promise<Script>), options: ScriptedModelOptions = {}): Model {
  const { sleep = realSleep, file = "the script" } = options;
  const failures = new Map<string, number>();
  const load = typeof script === "function" ? script : () => Promise.resolve(script);

  async function* play(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelChunk> {
    const loaded = await load();
    signal.throwIfAborted();
    const fit = fittingRule(loaded, request, name);
    if (!fit) throw new Fault("script_ended", "never", endedText(name, file, request));

    const opaque = { rule: fit.number };
    const actions = Array.isArray(fit.rule.do) ? fit.rule.do : [fit.rule.do];
    for (const [at, action] of actions.entries()) {
      if ("wait" in action) await sleep(durationMs(action.wait), signal);
      else if ("fail" in action)
        failOnPurpose(action.fail, `${request.dialog} ${request.agent} ${request.course} ${fit.number}.${at}`, failures, name);
      else yield* spoken(filled(action, fit.words), opaque, paced(loaded.speed, sleep, signal));
    }
    // An action without a trace would never be counted.
    if (!actions.some(leavesTrace)) yield* [{ type: "saying.started" }, { type: "saying.finished", opaque }] as const;
    yield { type: "finished", usage: undefined, sessionId: undefined };
  }

  return { name, provider: "scripted", contextWindow: undefined, price: { input: 0, output: 0 }, stream: play };
}

type Fail = Extract<ScriptAction, { fail: unknown }>["fail"];
type Spoken = Exclude<ScriptAction, { wait: unknown } | { fail: unknown }>;
type Pieces = (text: string) => AsyncIterable<string>;

async function* spoken(action: Spoken, opaque: unknown, pieces: Pieces): AsyncGenerator<ModelChunk> {
  if ("call" in action) yield { type: "call", tool: action.call.tool, input: action.call.input, opaque };
  else if ("think" in action) yield* segment("thinking", action.think, opaque, pieces);
  else if ("say" in action) yield* segment("saying", action.say, opaque, pieces);
  else if ("json" in action) yield* segment("saying", `\`\`\`json\n${JSON.stringify(action.json, null, 2)}\n\`\`\``, opaque, pieces);
  else
    yield* [
      { type: "saying.started" },
      { type: "thinking.started" },
      { type: "saying.finished", opaque },
      { type: "thinking.finished" },
    ] as const;
}

async function* segment(kind: "thinking" | "saying", text: string, opaque: unknown, pieces: Pieces): AsyncGenerator<ModelChunk> {
  yield { type: `${kind}.started` };
  for await (const piece of pieces(text)) yield { type: `${kind}.chunk`, text: piece };
  yield { type: `${kind}.finished`, opaque };
}

/** Text at the script's speed, in pieces as large and frequent as a real model's. */
function paced(speed: number | undefined, sleep: Sleep, signal: AbortSignal): Pieces {
  return async function* (text) {
    if (speed === undefined) {
      yield text;
      return;
    }
    const characters = Array.from(text);
    const size = Math.max(1, Math.round(speed / 25));
    for (let at = 0; at < characters.length; at += size) {
      const piece = characters.slice(at, at + size);
      await sleep((piece.length / speed) * 1000, signal);
      yield piece.join("");
    }
  };
}

const leavesTrace = (action: ScriptAction): boolean => !("wait" in action) && !("fail" in action);

const FAULTS: Readonly<Record<Fail["code"], { readonly code: FaultCode; readonly retry: Fault["retry"] }>> = {
  overloaded: { code: "model_overloaded", retry: "later" },
  unreachable: { code: "model_unreachable", retry: "later" },
  malformed: { code: "model_malformed", retry: "later" },
  no_key: { code: "model_no_key", retry: "never" },
  wrong_key: { code: "model_wrong_key", retry: "never" },
  no_credit: { code: "model_no_credit", retry: "never" },
  unknown_model: { code: "model_unknown", retry: "never" },
  context_too_long: { code: "model_context_too_long", retry: "never" },
  refused: { code: "model_refused", retry: "never" },
};

function failOnPurpose(fail: Fail, key: string, failures: Map<string, number>, model: string): void {
  const failed = failures.get(key) ?? 0;
  if (fail.times !== undefined && failed >= fail.times) return;
  failures.set(key, failed + 1);
  const { code, retry } = FAULTS[fail.code];
  const message = fail.message ?? `${model} fails here because its script says so (${fail.code}).`;
  throw new Fault(code, retry, message, fail.retryAfter === undefined ? {} : { retryAfterMs: durationMs(fail.retryAfter) });
}

function endedText(name: string, file: string, request: ModelRequest): string {
  const heard = JSON.stringify(shortened(lastHeard(request)));
  return (
    `${name} has no rule that fits: agent ${request.agent}, course ${request.course}, step ${request.step}, last message ${heard}. ` +
    `Add one to ${file}, for example: - { when: { agent: ${request.agent}, text: ${heard} }, do: { say: "…" } }`
  );
}

const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 80).trimEnd()}…` : text);
