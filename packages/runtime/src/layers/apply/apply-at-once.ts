import type { StagedOutput, Tool } from "../../calls/tool.ts";
import { printable } from "../../tools/files/listing.ts";

/** Applies what a call staged without asking anybody. Returns the text for the agent. */
export async function applyAtOnce(tool: Tool, { output }: StagedOutput, callId: string, dir: string): Promise<string> {
  const { conflicts, notes } = (await tool.staged?.apply(callId, dir)) ?? { conflicts: [], notes: [] };
  if (conflicts.length > 0) await tool.staged?.discard(callId, dir);
  const [head = "", ...rest] = output.split("\n");
  const names = conflicts.slice(0, 20).map(printable).join(", ");
  return [
    head,
    ...(conflicts.length > 0 ? [`Nothing of it was applied: ${names} changed meanwhile. Run it again.`] : []),
    ...notes,
    ...rest,
  ].join("\n");
}
