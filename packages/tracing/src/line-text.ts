import type { Line, RootId } from "@colloquy/schema";
import type { TreeLine } from "./log-source.ts";

/** A line of the log as text for another thread. `stored`: as the store has it already. */
export function lineText(stream: RootId, line: Line, stored?: string): string {
  const text = stored ?? JSON.stringify(line);
  return text.endsWith("\n") ? stream + text : `${stream}${text}\n`;
}

export const linesIn = (text: string): readonly TreeLine[] =>
  text
    .split("\n")
    .slice(0, -1)
    .map((one) => {
      const at = one.indexOf("{");
      return { stream: one.slice(0, at) as RootId, line: JSON.parse(one.slice(at)) as Line };
    });
