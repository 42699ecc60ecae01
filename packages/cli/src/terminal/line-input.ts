import { createInterface } from "node:readline";

/** The person's input, line by line. */
export interface LineInput {
  readonly isTerminal: boolean;
  readonly lines: AsyncIterable<string>;
  /** Shows the prompt; nothing in a pipe. */
  prompt(text: string): void;
  close(): void;
}

/** `onInterrupt`: Ctrl-C, which a terminal in raw mode doesn't turn into a signal. */
export function lineInput(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream, onInterrupt: () => void): LineInput {
  const isTerminal = Boolean(stdin.isTTY && stdout.isTTY);
  const reader = createInterface({ input: stdin, ...(isTerminal && { output: stdout, terminal: true }) });
  reader.on("SIGINT", onInterrupt);
  // Buffers lines that arrive before anybody reads them.
  const lines = reader[Symbol.asyncIterator]();
  return {
    isTerminal,
    lines: { [Symbol.asyncIterator]: () => lines },
    prompt(text) {
      if (!isTerminal) return;
      reader.setPrompt(text);
      reader.prompt(true);
    },
    close: () => reader.close(),
  };
}
