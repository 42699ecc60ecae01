import type { Screen } from "./screen.ts";
import { visible } from "./visible.ts";
import { pieces, widthOf } from "./width.ts";

/**
 * Streams text, indented and wrapped between words as it arrives. A word is held back until the next character shows that it is
 * complete. In a pipe text is unchanged.
 */
export class Flow {
  readonly #screen: Screen;
  #indent = 0;
  #column = 0;
  #held = "";
  /** Space after the last word: written only if another word follows on the same line. */
  #gap = "";
  #style: (text: string) => string = (text) => text;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  get column(): number {
    return this.#column;
  }

  /** Sets indentation and style from here on. */
  begin(indent: number, style: (text: string) => string): void {
    this.#flush();
    this.#indent = indent;
    this.#style = style;
  }

  /** Text from outside. */
  write(text: string): void {
    const [first = "", ...others] = visible(text).replaceAll("\t", "    ").split("\n");
    this.#add(first);
    for (const line of others) {
      this.#flush();
      this.#newLine();
      this.#add(line);
    }
  }

  /** Our own text on the current line, unwrapped. */
  label(text: string, columns: number): void {
    this.#flush();
    this.#screen.write(text);
    this.#column += columns;
  }

  /** Overwrites this line. */
  restart(): void {
    this.#held = "";
    this.#gap = "";
    this.#screen.write("\r");
    this.#column = 0;
  }

  /** Ends the line, unless it is empty. */
  end(): void {
    this.#flush();
    this.#gap = "";
    if (this.#column > 0) this.#newLine();
  }

  #add(text: string): void {
    const found = pieces(this.#held + text);
    this.#held = found.at(-1) ?? "";
    for (const piece of found.slice(0, -1)) this.#put(piece);
  }

  #flush(): void {
    if (this.#held !== "") this.#put(this.#held);
    this.#held = "";
  }

  #put(piece: string): void {
    const word = piece.trimEnd();
    const space = piece.slice(word.length);
    if (word === "") {
      this.#gap += space;
      return;
    }
    const limit = this.#screen.isTerminal ? this.#screen.columns : Number.POSITIVE_INFINITY;
    const isFirst = this.#column <= this.#indent;
    if (!isFirst && this.#column + this.#gap.length + widthOf(word) > limit) this.#newLine();
    const lead = " ".repeat(Math.max(0, this.#indent - this.#column)) + this.#gap;
    this.#screen.write(lead + this.#style(word));
    this.#column += lead.length + widthOf(word);
    this.#gap = space;
  }

  #newLine(): void {
    this.#screen.write("\n");
    this.#column = 0;
    this.#gap = "";
  }
}
