import { runKey } from "@colloquy/schema";
import type { LiveEvent, TreeEvent } from "@colloquy/library";
import { callText } from "./call-text.ts";
import { Flow } from "./flow.ts";
import type { Screen } from "./screen.ts";
import { span } from "./time.ts";
import { type Note, noteOf } from "./tree-note.ts";
import { oneLine } from "./visible.ts";
import { cut, widest, widthOf } from "./width.ts";

interface RunningCall {
  readonly text: string;
  readonly startedAt: number;
}

/** With its arrival time: buffered output is shown later. */
type Shown = (LiveEvent | Note) & { readonly cameAt: number };

const MAX_NAME_COLUMNS = 14;

/** What agents think, say and do, live. One speaks at a time: others' output is buffered, and shown when the speaker has ended. */
export class LiveView {
  readonly #screen: Screen;
  readonly #flow: Flow;
  readonly #now: () => number;
  readonly #gutter: number;
  readonly #calls = new Map<string, RunningCall>();
  /** The agent streaming now. */
  #speaker: string | undefined;
  /** Others' buffered output, in the order in which they started. */
  readonly #kept = new Map<string, Shown[]>();
  /** The name above the current lines, and whether it still has no text. */
  #named: string | undefined;
  #isBare = false;

  /** `names`: possible speakers, so that all text starts in one column. */
  constructor(screen: Screen, now: () => number, names: readonly string[] = []) {
    this.#screen = screen;
    this.#flow = new Flow(screen);
    this.#now = now;
    this.#gutter = Math.min(MAX_NAME_COLUMNS, widest(names, 3)) + 2;
  }

  readonly tell = (event: LiveEvent): void => this.#take(keyOf(event), { ...event, cameAt: this.#now() });

  /** Shows a decision. */
  readonly note = (event: TreeEvent): void => {
    const note = noteOf(event);
    if (!note) return;
    if (note.cuts && this.#speaker?.startsWith(`${note.dialog}/`)) this.#release();
    if (note.text !== "") this.#take(runKey(note.dialog, note.agent), { ...note, cameAt: this.#now() });
  };

  /** Flushes the buffers, and ends the line. */
  end(): void {
    this.#release();
    for (const events of this.#kept.values()) for (const event of events) this.#show(event);
    this.#kept.clear();
    this.#flow.end();
    this.#named = undefined;
    this.#speaker = undefined;
  }

  #take(key: string, event: Shown): void {
    const isKept = this.#speaker !== undefined && this.#speaker !== key;
    if (isKept) {
      this.#kept.set(key, [...(this.#kept.get(key) ?? []), event]);
      return;
    }
    if (event.type === "generating_start_evt") this.#speaker = key;
    this.#show(event);
    if (isEnd(event)) this.#release();
  }

  /** The speaker has ended: the next buffered one is shown. */
  #release(): void {
    this.#speaker = undefined;
    for (const [key, events] of this.#kept) {
      this.#kept.delete(key);
      for (const event of events) {
        if (event.type === "generating_start_evt") this.#speaker = key;
        this.#show(event);
        if (isEnd(event)) this.#speaker = undefined;
      }
      if (this.#speaker !== undefined) return;
    }
  }

  #show(event: Shown): void {
    const { colours } = this.#screen;
    switch (event.type) {
      case "generating_start_evt":
        // In a terminal the name appears while the model thinks.
        this.#named = undefined;
        if (this.#screen.isTerminal) this.#name(event.agent);
        return;
      case "thinking_start_evt":
        this.#name(event.agent);
        this.#flow.begin(this.#gutter, (text) => colours.dim(colours.italic(text)));
        return;
      case "saying_start_evt":
        this.#name(event.agent);
        this.#flow.begin(this.#gutter, (text) => text);
        return;
      case "thinking_chunk_evt":
      case "saying_chunk_evt":
        this.#isBare = false;
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
        this.#calls.set(event.call, { text: callText(event.tool, event.input), startedAt: event.cameAt });
        return;
      case "tool_finish_evt":
        this.#called(event);
        return;
      case "tool_log_evt":
        this.#name(event.agent);
        this.#line(`${event.tool}: ${oneLine(event.text)}`, colours.dim);
        return;
      case "retry_evt":
        this.#name(event.agent);
        this.#line(`! ${oneLine(event.message)} Trying again in ${span(event.pauseMs)} (attempt ${event.attempt + 1}).`, colours.yellow);
        return;
      case "note":
        this.#name(event.agent);
        this.#line(
          cut(event.text, (this.#screen.columns - this.#gutter) * NOTE_LINES),
          event.tone === "person" ? colours.yellow : colours.dim,
        );
        return;
      default:
        event satisfies never;
    }
  }

  /** Prints the speaker's name, unless it is already above the current lines. */
  #name(agent: string): void {
    if (agent === this.#named) return this.#startLine();
    // A name without text after it is overwritten.
    if (this.#isBare && this.#flow.column === this.#gutter && this.#screen.isTerminal) this.#flow.restart();
    else this.#flow.end();
    this.#flow.begin(0, (text) => text);
    const name = cut(agent, this.#gutter - 2);
    this.#flow.label(`${this.#screen.colours.bold(name)}${" ".repeat(this.#gutter - widthOf(name))}`, this.#gutter);
    this.#named = agent;
    this.#isBare = true;
  }

  #line(text: string, style: (text: string) => string): void {
    this.#isBare = false;
    this.#flow.begin(this.#gutter, style);
    this.#flow.write(text);
    this.#flow.end();
  }

  #called({ agent, call, failed, cameAt }: Extract<Shown, { type: "tool_finish_evt" }>): void {
    const running = this.#calls.get(call);
    if (!running) return;
    this.#calls.delete(call);
    const { colours, columns } = this.#screen;
    const mark = failed ? colours.red("✕") : colours.green("✓");
    const ms = cameAt - running.startedAt;
    const text = cut(running.text, Math.max(20, columns - this.#gutter - 12));
    this.#name(agent);
    this.#flow.label(
      `${" ".repeat(this.#gutter - this.#flow.column)}${colours.dim(text)} ${mark}${ms >= 1_000 ? colours.dim(` ${span(ms)}`) : ""}`,
      1,
    );
    this.#isBare = false;
    this.#flow.end();
  }

  /** A new line, unless only the name is on this one. */
  #startLine(): void {
    if (!this.#isBare) this.#flow.end();
  }
}

/** Bound, in lines, of the shown text of a note. */
const NOTE_LINES = 2;

const keyOf = ({ dialog, agent }: LiveEvent): string => runKey(dialog.selfId, agent);

const isEnd = (event: Shown): boolean => event.type === "generating_finish_evt" || event.type === "stream_error_evt";
