import { defineTool, type OpenCall, type Tool } from "@colloquy/runtime";
import { z } from "zod";
import { demand } from "../broken.ts";
import type { Chance } from "./chance.ts";
import type { Ledger } from "../watches/ledger.ts";
import type { Life, Schedule } from "./schedule.ts";
import type { Site } from "./site.ts";
import type { Trace } from "../trace.ts";

/** The world outside every process: a bank, a mailbox. It remembers what was done to it. */
export class Outside {
  readonly #schedule: Schedule;
  readonly #chance: Chance;
  readonly #trace: Trace;
  readonly #done = new Map<string, number>();
  #marks = 0;
  /** Tools behave as they should. */
  isCalm = false;

  constructor(schedule: Schedule, chance: Chance, trace: Trace) {
    this.#schedule = schedule;
    this.#chance = chance;
    this.#trace = trace;
  }

  get effects(): number {
    return this.#done.size;
  }

  /** An effect that must never happen twice, nor before its start is logged. */
  #act(tool: string, callId: string, ledger: Ledger, life: Life): void {
    if (life.isOver) return; // a dead process has no effects, even if its code still runs
    const times = (this.#done.get(callId) ?? 0) + 1;
    this.#done.set(callId, times);
    this.#trace.add(this.#schedule.nowMs, `${tool} has its effect (${callId.slice(-6)})`);
    demand(times === 1, "SI4", () => `${tool} had its effect ${times} times (call ${callId})`);
    demand(ledger.started.has(callId), "SI4", () => `${tool} had its effect before its beginning was durable (call ${callId})`);
  }

  /** The tools of one process for one project. */
  tools(life: Life, { ledger, layers }: Site): readonly Tool[] {
    const input = z.object({ what: z.string() });
    const define = (
      name: string,
      how: { reads?: boolean; repeatable?: boolean; approval?: boolean },
      run: (context: OpenCall, input: unknown) => Promise<void>,
    ): Tool => ({
      ...defineTool({ name, description: `To ${name}.`, input, timeoutMs: 60_000, ...how, run: () => undefined }),
      run: async (input, context) => {
        await this.#take(life, context.signal);
        if (!this.isCalm && this.#chance.is(0.1)) throw new Error(`${name} did not work`);
        await run(context, input);
        await this.#take(life, context.signal);
        // Sometimes its output is long.
        const more = !this.isCalm && this.#chance.is(0.05) ? ` ${"and so on ".repeat(4_000)}` : "";
        return `done #t${++this.#marks}#${more}`;
      },
    });
    const effect =
      (name: string) =>
      async ({ callId }: OpenCall) =>
        this.#act(name, callId, ledger, life);
    const ask = async (context: OpenCall, resume?: string): Promise<void> => {
      const answer = await context.ask({
        message: "Which account?",
        fields: [{ name: "account", kind: "text", required: false }],
        ...(resume !== undefined && { resume }),
      });
      if (answer.action !== "accept") throw new Error("nobody said");
    };
    return [
      define("look", { reads: true }, async () => undefined),
      define("note", { repeatable: true }, async () => undefined),
      define("pay", {}, effect("pay")),
      define("ship", { approval: true }, async ({ callId }, input) => {
        if (!life.isOver) ledger.approvals.demandApproved(callId, input);
        this.#act("ship", callId, ledger, life);
      }),
      define("form", { repeatable: true }, (context) => ask(context)),
      define("wire", {}, async (context) => {
        if (context.resume === undefined) await ask(context, "asked");
        this.#act("wire", context.callId, ledger, life);
      }),
      layers.tool(life, (signal) => this.#take(life, signal)),
    ];
  }

  /** Takes a while, and mostly heeds an abort. */
  async #take(life: Life, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const isDeaf = !this.isCalm && this.#chance.is(0.3);
    this.#schedule.after(life, this.isCalm ? 5 : this.#chance.wait(1, 90_000), resolve);
    if (!isDeaf) this.#schedule.onAbort(signal, () => reject(signal.reason as Error));
    await promise;
  }
}
