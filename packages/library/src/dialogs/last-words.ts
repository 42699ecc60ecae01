import { isCall, isLastTool, type Line, mainDialogOf, type RootId, textOf, type TreeEvent } from "@colloquy/schema";

interface EventSource {
  events(rootId: RootId, after: number): Promise<readonly Line<TreeEvent>[]>;
}

/** The text with which the main dialog last ended; empty if it never did. `seq`: the end of its log. */
export async function readLastWords(source: EventSource, rootId: RootId, seq: number): Promise<string> {
  // Backwards in growing steps: the last turn's end is near the end of the log.
  for (let back = 16; ; back *= 8) {
    const lines = await source.events(rootId, Math.max(0, seq - back));
    const last = lines.flatMap((line) => line.events).findLast((event) => isEnd(event, rootId));
    if (last?.type === "step.ended") return last.whole ?? textOf(last.parts);
    if (back >= seq) return "";
  }
}

/** Text of the main dialog itself that waits for no call: its answer. */
const isEnd = (event: TreeEvent, rootId: RootId): boolean =>
  event.type === "step.ended" &&
  event.dialog === mainDialogOf(rootId) &&
  event.finish === undefined &&
  textOf(event.parts) !== "" &&
  event.parts.filter(isCall).every((part) => isLastTool(part.tool));
