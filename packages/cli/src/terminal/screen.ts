import pico from "picocolors";
import { harmless } from "./visible.ts";

export type Colours = ReturnType<typeof pico.createColors>;

/** Where text goes: a terminal with a person, or a pipe with a program. */
export interface Screen {
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly colours: Colours;
  write(text: string): void;
}

/** Longer lines are hard to read, however wide the window is. */
const MAX_COLUMNS = 110;

export function screenOn(stream: NodeJS.WriteStream, env: Readonly<Record<string, string | undefined>>): Screen {
  const isTerminal = Boolean(stream.isTTY);
  const isColoured = isTerminal && !env.NO_COLOR && env.TERM !== "dumb";
  return {
    isTerminal,
    get columns() {
      return Math.min(MAX_COLUMNS, stream.columns || 80);
    },
    colours: pico.createColors(isColoured),
    write: (text) => void stream.write(harmless(text, isTerminal)),
  };
}
