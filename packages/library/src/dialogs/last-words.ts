import { isCall, isLastTool, type Line, mainDialogOf, type RootId, textOf, type TreeEvent } from "@colloquy/schema";

interface EventSource {
  events(rootId: RootId, after: number): Promise<readonly Line<TreeEvent>[]>;
}

/** The words with which the main dialog last came to an end; empty when it never has. `seq`: where its log ends. */
export async function readLastWords(source: EventSource, rootId: RootId, seq: number): Promise<string> {
  // Backwards, a little more each time: the last turn's end is near the end of the log.
  for (let back = 16; ; back *= 8) {
    const lines = await source.events(rootId, Math.max(0, seq - back));
    const last = lines.flatMap((line) => line.events).findLast((event) => isEnd(event, rootId));
    if (last?.type === "step.ended") return last.whole ?? textOf(last.parts);
    if (back >= seq) return "";
  }
}

/** Words of the main dialog's own that wait for no call: what one would call its answer. */
const isEnd = (event: TreeEvent, rootId: RootId): boolean =>
  event.type === "step.ended" &&
  event.dialog === mainDialogOf(rootId) &&
  event.finish === undefined &&
  textOf(event.parts) !== "" &&
  event.parts.filter(isCall).every((part) => isLastTool(part.tool));
