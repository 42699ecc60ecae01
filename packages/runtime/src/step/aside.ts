import { Segments } from "@colloquy/core";
import { costOf } from "@colloquy/models";
import { type AgentId, type DialogId, textOf, type Usage } from "@colloquy/schema";
import type { Engine } from "../engine/engine.ts";
import type { Runner } from "../engine/runner.ts";

/** The sender should not wait long for a courtesy. */
const MAX_MS = 20_000;

export interface Aside {
  readonly text: string;
  readonly model: string;
  readonly usage?: Usage | undefined;
  readonly cost?: number | undefined;
}

/** A short question to a model beside the work: no tools, no history, nothing streamed. Throws when it cannot be answered in time. */
export async function askAside(
  engine: Engine,
  runner: Runner,
  at: { readonly dialog: DialogId; readonly agent: AgentId },
  system: string,
  text: string,
): Promise<Aside> {
  const { closing } = engine;
  const over = new AbortController();
  const stop = () => over.abort(closing.reason);
  if (closing.aborted) stop();
  closing.addEventListener("abort", stop, { once: true });
  const done = new AbortController();
  const limit = engine.deps.clock.sleep(MAX_MS, done.signal).then(
    () => over.abort(new Error(`${runner.name} took too long`)),
    () => undefined,
  );
  let leave: (() => void) | undefined;
  try {
    leave = await engine.lane(runner.lane).enter(over.signal);
    const { parts, usage } = await runner.step(
      {
        system: [system],
        messages: [{ role: "user", text }],
        tools: [],
        agent: at.agent,
        course: 1,
        step: 0,
        dialog: at.dialog,
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
