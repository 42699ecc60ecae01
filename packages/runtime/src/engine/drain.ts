import { runKey } from "@colloquy/schema";
import { decideAttempt, nextMove, runOf, type Turn } from "@colloquy/core";
import { act } from "../calls/act.ts";
import type { Crossing } from "./crossing.ts";
import type { Flight } from "./live-tree.ts";
import { mayDrive } from "./project-context.ts";
import type { RunContext } from "./run-context.ts";
import { refKey } from "./run-ref.ts";
import { think } from "../step/think.ts";
import type { DayGate } from "../watch/day-gate.ts";

/** The gates a step passes before it is taken. */
export interface StepGates {
  readonly dayGate: DayGate;
  readonly crossing: Crossing;
  /** Runs whose next step was interrupted by a crash. */
  readonly interrupted: Set<string>;
}

/**
 * The main loop: drives one run until it waits or is idle. It holds nothing that isn't in the log, so killing it loses only the call in
 * flight.
 */
export async function drain(context: RunContext, { dayGate, crossing, interrupted }: StepGates): Promise<void> {
  const { deps, closing, tree, ref } = context;
  while (!closing.aborted) {
    await tree.betweenSteps.free(ref.dialog);
    await tree.settled;
    if (!mayDrive(context, ref.rootId)) return;
    const run = runOf(tree.state, ref.dialog, ref.agent);
    const step = run ? nextMove(tree.state, run) : undefined;
    if (step?.kind !== "think" && step?.kind !== "act") return;

    await deps.refresh();
    if (step.kind === "think" && !(await dayGate.mayThink(ref))) return;
    const isAgain = interrupted.delete(refKey(ref));
    const leave = await crossing.enter(isAgain && step.turn.attempts >= 2);
    const flight: Flight = {
      abort: new AbortController(),
      turn: step.turn.id,
      startedAt: deps.clock.now(),
      tools: new Map(),
      thinkingSince: undefined,
      pause: undefined,
    };
    tree.flights.set(runKey(ref.dialog, ref.agent), flight);
    try {
      if (isAgain && !(await attempt(context, step.turn))) continue;
      if (step.kind === "think") await think(context, step.turn, flight);
      else await act(context, step, flight);
    } finally {
      tree.flights.delete(runKey(ref.dialog, ref.agent));
      leave();
    }
  }
}

/** A step that a crash interrupted: recorded before it is driven again, so that a step that crashes the process every time is found. */
async function attempt(context: RunContext, turn: Turn): Promise<boolean> {
  const { dialog, agent } = context.ref;
  const at = { dialog, agent, turn: turn.id };
  const outcome = await context.record((tree) => decideAttempt(tree, at, context.newId(), context.rulebook.rules()));
  return outcome.ok && outcome.events[0]?.type === "step.attempted";
}
