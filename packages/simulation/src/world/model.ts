import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Model, ModelRequest } from "@colloquy/models";
import { type Adapter, anthropicAdapter, compatibleAdapter, openaiAdapter, sdkModel } from "@colloquy/models/internals";
import { demand } from "../broken.ts";
import type { Chance } from "./chance.ts";
import { type Ledger, marksIn } from "../watches/ledger.ts";
import type { Life, Schedule } from "./schedule.ts";
import type { Trace } from "../trace.ts";
import { demandValid } from "../valid-request.ts";

/** State that models share across processes: they run elsewhere, and outlive them. */
export interface ModelWorld {
  readonly schedule: Schedule;
  readonly chance: Chance;
  readonly trace: Trace;
  readonly agents: readonly string[];
  readonly contextWindow: number;
  /** How many more steps may be slow, fail or call tools; 0 when everything should become idle. */
  adventures: number;
  words: number;
}

const REACH = { id: "simulated", apiKey: "key", fetch: undefined };

/** The models as one process reaches them: real adapters in front of a random provider. */
export function simulatedModels(world: ModelWorld, life: Life, ledger: Ledger): (name: string) => Model {
  const known = new Map<string, Model>();
  const make = (name: string): Model => {
    const adapters: Record<string, Adapter> = {
      anthropic: anthropicAdapter({ ...REACH, name, baseURL: undefined }),
      openai: openaiAdapter({ ...REACH, name, baseURL: undefined }),
      compatible: compatibleAdapter({ ...REACH, name, baseURL: "http://simulated.invalid/v1" }),
    };
    const provider = name.split("/")[0] ?? "";
    const adapter = adapters[provider] as Adapter;
    const asked = (request: ModelRequest): void => {
      if (life.isOver) return; // text of a process that doesn't know yet that it is dead
      for (const mark of marksIn(JSON.stringify([request.system, request.messages])))
        demand(ledger.isDurable(mark), "SI4", () => `${request.agent}'s model was shown ${mark}, which is not durable in its project`);
    };
    return sdkModel(
      {
        name,
        provider,
        contextWindow: world.contextWindow,
        price: { input: 1, output: 2 },
        endpoint: { label: provider, host: "simulated", model: name, keyEnv: undefined, key: undefined, knownModels: [] },
        now: () => world.schedule.nowMs,
      },
      {
        ...adapter,
        options(request, given) {
          asked(request);
          const options = adapter.options(request, given);
          demandValid(options.prompt, request.agent);
          return options;
        },
        load: async () => new SimulatedProvider(world, life, name, ledger) as unknown as LanguageModelV4,
      },
    );
  };
  return (name) => {
    const model = known.get(name) ?? make(name);
    known.set(name, model);
    return model;
  };
}

type Part = LanguageModelV4StreamPart;

/** One provider: slow, failing, out of order, and more or less sensible. */
class SimulatedProvider {
  readonly #world: ModelWorld;
  readonly #life: Life;
  readonly #name: string;
  readonly #ledger: Ledger;

  constructor(world: ModelWorld, life: Life, name: string, ledger: Ledger) {
    this.#ledger = ledger;
    this.#world = world;
    this.#life = life;
    this.#name = name;
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<{ stream: AsyncIterable<Part> }> {
    const { chance, trace, schedule } = this.#world;
    const isOrderly = this.#world.adventures <= 0;
    this.#world.adventures -= 1;
    trace.add(schedule.nowMs, `model ${this.#name} is asked (${options.prompt.length} messages, ${options.tools?.length ?? 0} tools)`);
    await this.#pass(isOrderly ? 5 : chance.wait(1, 20_000), options.abortSignal);
    if (!isOrderly && chance.is(0.06)) throw this.#failure();
    const parts = isOrderly ? [...this.#words(), finish(chance)] : this.#parts(options);
    return { stream: this.#told(parts, isOrderly, options.abortSignal) };
  }

  async *#told(parts: readonly Part[], isOrderly: boolean, signal: AbortSignal | undefined): AsyncGenerator<Part> {
    const { chance } = this.#world;
    for (const part of parts) {
      if (!isOrderly) await this.#pass(chance.wait(0.1, 3_000), signal);
      yield part;
    }
  }

  async #pass(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const callOff = this.#world.schedule.after(this.#life, ms, resolve);
    const stop = () => {
      callOff();
      reject(signal?.reason as Error);
    };
    if (signal) this.#world.schedule.onAbort(signal, stop);
    if (signal?.aborted) stop();
    await promise.finally(() => signal?.removeEventListener("abort", stop));
  }

  #failure(): Error {
    const { chance } = this.#world;
    const failed = (statusCode: number, message: string, more: object = {}) => Object.assign(new Error(message), { statusCode, ...more });
    return chance.weighed<() => Error>([
      [4, () => failed(529, "overloaded")],
      [3, () => failed(429, "slower", { responseHeaders: { "retry-after": String(chance.below(30)) } })],
      [3, () => Object.assign(new Error("reset"), { code: "ECONNRESET" })],
      [1, () => failed(401, "who are you")],
      [1, () => failed(400, "prompt is too long")],
      [1, () => failed(400, "no")],
    ])();
  }

  #parts(options: LanguageModelV4CallOptions): readonly Part[] {
    const { chance } = this.#world;
    const tools = (options.tools ?? []).map(({ name }) => name);
    const end = finish(chance);
    return chance.weighed<() => readonly Part[]>([
      [30, () => [...this.#words(), end]],
      [10, () => [...this.#thoughts(), ...this.#words(), end]],
      [
        tools.length > 0 ? 45 : 0,
        () => [...(chance.is(0.5) ? this.#words(chance.is(0.2) ? this.#report() : undefined) : []), ...this.#calls(tools), end],
      ],
      [tools.length > 0 ? 5 : 0, () => [...this.#thoughts(), ...this.#calls(tools), ...this.#words(), end]],
      [tools.length === 0 ? 10 : 1, () => [...this.#words(this.#textAsk()), end]],
      [2, () => [...this.#words(this.#report(0)), end]],
      [6, () => [...this.#words(this.#report()), end]],
      [1, () => [...this.#words(this.#mention()), end]],
      [1, () => [end]],
      // Streams that no provider should send.
      [1, () => [{ type: "text-start", id: "1" }, ...this.#thoughts(), { type: "text-end", id: "1" }, end]],
      [1, () => [{ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: this.#mark() }, end]],
      [1, () => [{ type: "text-delta", id: "1", delta: this.#mark() }, end]],
      [1, () => this.#words()],
      [1, () => [...this.#words(), { type: "error", error: Object.assign(new Error("broke"), { type: "api_error" }) }]],
    ])();
  }

  /** A recognizable mark. */
  #mark(): string {
    this.#world.words += 1;
    return `#w${this.#world.words}#`;
  }

  /** The id of some task, or an unknown one. */
  #someTask(): string {
    return this.#world.chance.pick(this.#ledger.tasks.all)?.id ?? "0000";
  }

  #words(text = this.#mark()): Part[] {
    const cut = 1 + this.#world.chance.below(text.length - 1);
    return [
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: text.slice(0, cut) },
      { type: "text-delta", id: "0", delta: text.slice(cut) },
      { type: "text-end", id: "0" },
    ];
  }

  #thoughts(): Part[] {
    return [
      { type: "reasoning-start", id: "0" },
      { type: "reasoning-delta", id: "0", delta: `Hm. ${this.#mark()}` },
      { type: "reasoning-end", id: "0", providerMetadata: { anthropic: { signature: "signed" } } },
    ];
  }

  /** Ends roughly as an agent with a task should: questions and status may be anywhere in the text. */
  #report(withStatus = 0.8): string {
    const { chance } = this.#world;
    const { meant } = this.#ledger.outputs;
    const asks = chance.is(withStatus === 0 ? 1 : 0.3);
    const mark = this.#mark();
    const summary = this.#mark();
    const status = chance.is(withStatus) ? chance.pick(["success", "success", "failed"] as const) : undefined;
    if (asks) meant.asked.add(mark);
    if (status) meant.statuses.set(summary, { status, asks });
    const text = `And? ${mark}`;
    // The same words repeatedly, from every agent.
    const again = chance.is(0.4) ? ["Which colour?"] : [];
    const list = chance.pick<() => unknown>([
      () => [text, ...again],
      () => [{ id: "q1", text, options: ["A", "B"] }, ...again],
      () => [{ text, kind: "confirmation" }],
      () => ({ q1: { question: text } }),
    ])();
    const questions = asks ? { [chance.pick(["open_questions", "openQuestions"])]: list } : {};
    const said = { ...(status && { status }), summary };
    return chance.pick<() => string>([
      () => JSON.stringify({ ...said, ...questions }),
      () => JSON.stringify({ result: [{ ...said, ...questions }] }),
      () => `${JSON.stringify(said)}\nand\n${JSON.stringify({ more: questions })}`,
    ])();
  }

  #mention(): string {
    const mark = this.#mark();
    this.#ledger.outputs.meant.mentioned.add(mark);
    return `I have no open_questions: ${mark} is clear.`;
  }

  #calls(tools: readonly string[]): Part[] {
    const { chance } = this.#world;
    const count = chance.is(0.6) ? 1 : 1 + chance.below(3);
    return Array.from({ length: count }, (_, nth) => {
      const toolName = chance.is(0.02) ? "no_such_tool" : chance.weighed(tools.map((name) => [WEIGHTS[name] ?? 1, name] as const));
      // Another tool's input, or no JSON at all.
      const meant = chance.is(0.03) ? chance.pick(tools) : toolName;
      const input = chance.is(0.02) ? '{"half": ' : JSON.stringify(this.#input(meant));
      // Providers number their calls as they like.
      return { type: "tool-call", toolCallId: chance.is(0.3) ? "call-1" : `call-${nth}`, toolName, input };
    });
  }

  #textAsk(): string {
    const { chance, agents } = this.#world;
    const to = chance.pick([
      ...agents.map((agent) => `@${agent}`),
      "@human",
      "@tellasker",
      "@self",
      `@${chance.pick(agents)} !tellaskSession one`,
    ]);
    return `So.\n!?${to}\n!?Please ${this.#mark()}`;
  }

  #input(tool: string): unknown {
    const { chance, agents } = this.#world;
    const said = { tellaskContent: `Do it ${this.#mark()}` };
    const agent = () => chance.pick(agents);
    const deadline = () => (chance.is(0.3) ? { deadline: chance.pick(["30s", "5m", "2h"]) } : {});
    switch (tool) {
      case "tellask":
        return { targetAgentId: agent(), sessionSlug: chance.pick(["one", "two"]), ...said };
      case "tellaskSessionless":
        return { targetAgentId: agent(), ...said };
      case "end_session":
        return { targetAgentId: agent(), sessionSlug: chance.pick(["one", "two"]) };
      case "tellaskBack":
      case "freshBootsReasoning":
        return said;
      case "delegate":
        return {
          delegations: Array.from({ length: 1 + chance.below(3) }, () => ({
            recipient: agent(),
            prompt: `Your part ${this.#mark()}`,
            ...(chance.is(0.5) && { phase: "execute" }),
          })),
          ...(chance.is(0.4) && { wait: "all" }),
          ...deadline(),
        };
      case "askHuman":
      case "ask":
        if (chance.is(0.3)) return { tellaskContent: "Which colour?" };
        return { ...said, ...(chance.is(0.5) && { options: ["yes", "no"], ...(chance.is(0.5) && { otherwise: "no" }) }), ...deadline() };
      case "add_reminder":
        return { content: this.#mark() };
      case "update_reminder":
        return { reminder_id: 1, content: this.#mark() };
      case "delete_reminder":
        return { reminder_id: 1 };
      case "set_phase":
        return { phase: chance.pick(["plan", "execute", "chat"]), summary: this.#mark() };
      case "clear_mind":
        return chance.is(0.5) ? {} : { reminder_content: this.#mark() };
      case "change_mind":
        return { selector: chance.pick(["goals", "progress"]), content: this.#mark() };
      case "remember":
        return { scope: chance.pick(["team", "own"]), path: "notes.md", content: this.#mark() };
      case "recall":
      case "forget":
        return { scope: "team", path: "notes.md" };
      case "record_decision":
        return { title: "So be it", decision: this.#mark() };
      case "revise_question":
        return said;
      case "withdraw_question":
        return { why: "Never mind." };
      case "read_result":
        return { call: "0".repeat(32) };
      case "create_task":
        return {
          title: this.#mark(),
          ...chance.pick([{ kind: "task" }, { kind: "plan" }, { kind: "feedback" }, { kind: "prd", key: chance.pick(["one", "two"]) }]),
          ...(chance.is(0.3) && { dependsOn: [this.#someTask()] }),
        };
      case "create_plan":
        return { tasks: ["a", "b"].map((key, nth) => ({ key, title: this.#mark(), ...(nth > 0 && { dependsOn: ["a"] }) })) };
      case "update_task":
        return { task: this.#someTask(), ...(chance.is(0.5) ? { title: this.#mark() } : { close: "Never mind." }) };
      case "update_prd":
        return { sectionKey: "one", content: this.#mark() };
      case "cancel_asks":
      case "mark_done":
        return {};
      default:
        return { what: this.#mark() };
    }
  }
}

/** Worth trying often. */
const WEIGHTS: Readonly<Record<string, number>> = {
  tellask: 8,
  tellaskSessionless: 6,
  tellaskBack: 6,
  delegate: 7,
  freshBootsReasoning: 2,
  askHuman: 7,
  ask: 1,
  build: 8,
  cancel_asks: 2,
  end_session: 3,
  look: 4,
  note: 4,
  pay: 8,
  ship: 6,
  form: 6,
  create_task: 3,
  create_plan: 1,
  update_prd: 2,
  clear_mind: 2,
  change_mind: 4,
  remember: 5,
  recall: 2,
  withdraw_question: 3,
  revise_question: 3,
};

const finish = (chance: Chance): Part => ({
  type: "finish",
  finishReason: { unified: "stop", raw: "stop" },
  usage: {
    inputTokens: { total: 50 + chance.below(400), noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: chance.below(100), text: undefined, reasoning: undefined },
  },
});
