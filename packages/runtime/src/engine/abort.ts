import { type CallId, runKey, type TreeEvent, type TreeEventOf } from "@colloquy/schema";
import type { LiveTree } from "./live-tree.ts";
import type { RunningCall } from "../calls/running-call.ts";

const ABORTING: ReadonlySet<TreeEvent["type"]> = new Set([
  "dialog.stopped",
  "turn.ended",
  "message.added",
  "message.acknowledged",
  "course.started",
]);

/**
 * Aborts work that an event makes pointless: work of a stopped dialog, an ended turn or an interrupted agent, and requests of a cleared
 * course. A message also ends pauses between two attempts.
 */
export function abortPointless(tree: LiveTree, event: TreeEvent, calls: Map<CallId, RunningCall>): void {
  if (!ABORTING.has(event.type)) return;
  if (event.type === "turn.ended") endCalls(event, calls);
  for (const [key, flight] of tree.flights) {
    if (!key.startsWith(`${event.dialog}/`)) continue;
    if (event.type === "message.added") {
      flight.pause?.abort();
      if (event.interrupt && event.to.some((agent) => key === runKey(event.dialog, agent))) flight.abort.abort(new Error("interrupted"));
    } else if (event.type === "message.acknowledged") {
      if (event.stops && key === runKey(event.dialog, event.agent)) flight.abort.abort(new Error("interrupted"));
    }
    // The model's context was cleared, so its request is aborted; a running tool may end.
    else if (event.type === "course.started") {
      if (flight.tools.size === 0) flight.abort.abort(new Error("cleared"));
    } else if (
      event.type === "dialog.stopped" ||
      (event.type === "turn.ended" && flight.turn === event.turn && key === runKey(event.dialog, event.agent))
    ) {
      flight.abort.abort(new Error("stopped"));
    }
  }
}

/** Aborts the calls of a turn that is over: nobody waits for their results. */
function endCalls({ dialog, agent, turn }: TreeEventOf<"turn.ended">, calls: Map<CallId, RunningCall>): void {
  for (const [id, call] of calls) {
    if (call.at.dialog !== dialog || call.at.agent !== agent || call.at.turn !== turn) continue;
    calls.delete(id);
    call.abort();
  }
}
