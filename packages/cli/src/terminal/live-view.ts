import type { LiveEvent } from "@colloquy/library";
import { callText } from "./call-text.ts";
import { Flow } from "./flow.ts";
import type { Screen } from "./screen.ts";
import { span } from "./time.ts";
import { oneLine } from "./visible.ts";
import { cut, widthOf } from "./width.ts";

interface RunningCall {
  readonly text: string;
  readonly startedAt: number;
}

/** What agents think, say and do, as they do it. */
export class LiveView {
  readonly #screen: Screen;
  readonly #flow: Flow;
  readonly #now: () => number;
  readonly #calls = new Map<string, RunningCall>();
  #gutter = 0;

  constructor(screen: Screen, now: () => number) {
    this.#screen = screen;
    this.#flow = new Flow(screen);
    this.#now = now;
  }

  readonly tell = (event: LiveEvent): void => {
    const { colours } = this.#screen;
    switch (event.type) {
      case "generating_start_evt":
        // The name stands there while the model makes up its mind.
        this.#flow.end();
        this.#name(event.agent);
        return;
      case "thinking_start_evt":
        this.#flow.begin(this.#gutter, (text) => colours.dim(colours.italic(text)));
        return;
      case "saying_start_evt":
        this.#flow.begin(this.#gutter, (text) => text);
        return;
      case "thinking_chunk_evt":
      case "saying_chunk_evt":
        this.#flow.write(event.text);
        return;
      case "thinking_finish_evt":
      case "saying_finish_evt":
        this.#flow.end();
        return;
      case "stream_error_evt":
        this.#startLine();
        return;
      case "generating_finish_evt":
        return;
      case "tool_start_evt":
        this.#calls.set(event.call, { text: callText(event.tool, event.input), startedAt: this.#now() });
        return;
      case "tool_finish_evt":
        this.#called(event.call, event.failed);
        return;
      case "retry_evt":
        this.#startLine();
        this.#flow.begin(this.#gutter, colours.yellow);
        this.#flow.write(`! ${oneLine(event.message)} Trying again in ${span(event.pauseMs)} (attempt ${event.attempt + 1}).`);
        this.#flow.end();
        return;
      default:
        event satisfies never;
    }
  };

  end(): void {
    this.#flow.end();
  }

  #name(agent: string): void {
    this.#gutter = widthOf(agent) + 2;
    this.#flow.begin(0, (text) => text);
    this.#flow.label(`${this.#screen.colours.bold(agent)}  `, this.#gutter);
  }

  #called(call: string, failed: boolean): void {
    const running = this.#calls.get(call);
    if (!running) return;
    this.#calls.delete(call);
    const { colours, columns } = this.#screen;
    const mark = failed ? colours.red("✕") : colours.green("✓");
    const ms = this.#now() - running.startedAt;
    const text = cut(running.text, Math.max(20, columns - this.#gutter - 12));
    this.#startLine();
    this.#flow.label(
      `${" ".repeat(this.#gutter - this.#flow.column)}${colours.dim(text)} ${mark}${ms >= 1_000 ? colours.dim(` ${span(ms)}`) : ""}`,
      1,
    );
    this.#flow.end();
  }

  /** A new line, unless the name stands there and nothing behind it. */
  #startLine(): void {
    if (this.#flow.column !== this.#gutter) this.#flow.end();
  }
}
