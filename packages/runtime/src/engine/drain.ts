import { decideAttempt, nextMove, runKey, runOf, type Turn } from "@colloquy/core";
import { act } from "../calls/act.ts";
import type { Engine } from "./engine.ts";
import type { Flight, LiveTree } from "./live-tree.ts";
import { refKey, type RunRef } from "./run-ref.ts";
import { think } from "../step/think.ts";

/**
 * The main loop: drives one run until it waits or rests. It holds nothing that the log does not, so killing it loses only the
 * call in flight.
 */
export async function drain(engine: Engine, tree: LiveTree, ref: RunRef): Promise<void> {
  while (!engine.isClosing) {
    await tree.betweenSteps.free(ref.dialog);
    await tree.settled;
    const run = runOf(tree.state, ref.dialog, ref.agent);
    const step = run ? nextMove(tree.state, run) : undefined;
    if (step?.kind !== "think" && step?.kind !== "act") return;

    await engine.deps.refresh();
    if (step.kind === "think" && !(await engine.dayGate.mayThink(ref))) return;
    const isAgain = engine.interrupted.delete(refKey(ref));
    const leave = await engine.crossing.enter(isAgain && step.turn.attempts >= 2);
    const flight: Flight = {
      abort: new AbortController(),
      turn: step.turn.id,
      startedAt: engine.deps.clock.now(),
      tools: new Map(),
      thinkingSince: undefined,
      pause: undefined,
    };
    tree.flights.set(runKey(ref.dialog, ref.agent), flight);
    try {
      if (isAgain && !(await attempt(engine, ref, step.turn))) continue;
      if (step.kind === "think") await think(engine, tree, ref, step.turn, flight);
      else await act(engine, tree, ref, step.turn.id, step.calls, flight);
    } finally {
      tree.flights.delete(runKey(ref.dialog, ref.agent));
      leave();
    }
  }
}

/** A step that a crash had interrupted: recorded before it is driven again, so that one which kills us every time is found. */
async function attempt(engine: Engine, { rootId, dialog, agent }: RunRef, turn: Turn): Promise<boolean> {
  const at = { dialog, agent, turn: turn.id };
  const outcome = await engine.writer.record(rootId, (tree) =>
    decideAttempt(tree, at, engine.rulebook.idIn(rootId), engine.rulebook.rules()),
  );
  return outcome.ok && outcome.events[0]?.type === "step.attempted";
}
