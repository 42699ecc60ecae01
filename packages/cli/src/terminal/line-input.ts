import { createInterface } from "node:readline";

/** What a person types, line by line. */
export interface LineInput {
  readonly isTerminal: boolean;
  readonly lines: AsyncIterable<string>;
  /** Shows where to type; nothing in a pipe. */
  prompt(text: string): void;
  close(): void;
}

/** `onInterrupt`: Ctrl-C, which a terminal in raw mode does not turn into a signal. */
export function lineInput(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream, onInterrupt: () => void): LineInput {
  const isTerminal = Boolean(stdin.isTTY && stdout.isTTY);
  const reader = createInterface({ input: stdin, ...(isTerminal && { output: stdout, terminal: true }) });
  reader.on("SIGINT", onInterrupt);
  // Lines that come before anybody asks for them are kept from here on.
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
