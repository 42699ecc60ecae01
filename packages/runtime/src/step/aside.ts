import { Segments } from "@colloquy/core";
import { costOf } from "@colloquy/models";
import { type AgentId, type DialogId, textOf, type Usage } from "@colloquy/schema";
import type { AsideContext } from "./asides.ts";
import type { Runner } from "../engine/runner.ts";

/** A sender shouldn't wait long for a courtesy. */
const MAX_MS = 20_000;

export interface Aside {
  readonly text: string;
  readonly model: string;
  readonly usage?: Usage | undefined;
  readonly cost?: number | undefined;
}

/** The prompt, and the agent in whose name it is sent. */
export interface AsideQuestion {
  readonly runner: Runner;
  readonly dialog: DialogId;
  readonly agent: AgentId;
  readonly system: string;
  readonly text: string;
}

/** A short model call beside the work: no tools, no history, no streaming. Throws if it isn't answered in time. */
export async function askAside(context: AsideContext, { runner, dialog, agent, system, text }: AsideQuestion): Promise<Aside> {
  const { deps, closing, lanes } = context;
  const over = new AbortController();
  const stop = () => over.abort(closing.reason);
  if (closing.aborted) stop();
  closing.addEventListener("abort", stop, { once: true });
  const done = new AbortController();
  const limit = deps.clock.sleep(MAX_MS, done.signal).then(
    () => over.abort(new Error(`${runner.name} took too long`)),
    () => undefined,
  );
  let leave: (() => void) | undefined;
  try {
    leave = await lanes.of(runner.lane).enter(over.signal);
    const { parts, usage } = await runner.step(
      {
        system: [system],
        messages: [{ role: "user", text }],
        tools: [],
        agent,
        course: 1,
        step: 0,
        dialog,
        sessionId: undefined,
      },
      {
        call: () => {
          throw new Error("nothing can be called here");
        },
        live: () => undefined,
        segments: new Segments(),
        signal: over.signal,
      },
    );
    return {
      text: textOf(parts),
      model: runner.name,
      ...(usage && { usage }),
      ...(usage && runner.price && { cost: costOf(usage, runner.price) }),
    };
  } finally {
    leave?.();
    closing.removeEventListener("abort", stop);
    done.abort();
    await limit;
  }
}
