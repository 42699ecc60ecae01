import { type CheckpointLine, type Fault, LOG_VERSION, type Line, migrateLine, type Snapshot, type StreamId } from "@colloquy/schema";
import { checkedText, withChecksum } from "./checksum.ts";
import { corrupt, newer } from "../inspect/faults.ts";

/** The first line of the first course file: nothing was folded yet. */
const EMPTY: Snapshot = { reducer: 0, seq: 0, pos: 0, state: null };

export const checkpointText = (snapshot: Snapshot = EMPTY): string =>
  withChecksum(JSON.stringify({ v: LOG_VERSION, checkpoint: snapshot } satisfies CheckpointLine).slice(0, -1));

/** In place of lines that `doctor` had to cut out of an earlier course. */
export interface LostLine {
  readonly v: number;
  readonly lost: { readonly from: number; readonly to: number; readonly kept: string };
}

/** Lines without a gap, and the next `seq`. */
export interface Stretch {
  readonly lines: Line[];
  readonly next: number | undefined;
  /** Of the last line, or of the one before them. */
  readonly pos: number;
}

interface LineOptions {
  readonly seq?: number;
  readonly limit?: number;
  readonly isHistory?: boolean;
  readonly into?: Line[];
  /** Receives each line's number in the file. */
  readonly places?: number[] | undefined;
  /** Of the line before, if known. */
  readonly pos?: number;
  /** Called for each lost piece of history. */
  readonly onLost?: (to: number) => void;
}

export const lastSeq = (line: Line): number => line.seq + line.events.length - 1;

/** What comes before this line was copied from elsewhere, with the numbers of the commits there. */
const continuesCopy = ({ events: [first] }: Line): boolean => first?.type === "dialog.copied";

/** The `seq` of a line's first event, without parsing the line. */
export const seqAtHead = (text: string): number | undefined => numberIn(/^\{"v":\d+,"pos":\d+,"seq":(\d+),/, text);

/** The last event that a checkpoint covers, without parsing it. */
export const checkpointSeqAtHead = (text: string): number | undefined =>
  numberIn(/^\{"v":\d+,"checkpoint":\{(?:"\w+":\d+,)*?"seq":(\d+),/, text);

function numberIn(pattern: RegExp, text: string): number | undefined {
  const digits = pattern.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The text of a course file, or of its end, split into lines. */
export class Course {
  readonly #stream: StreamId;
  readonly #place: string;
  readonly #texts: string[];
  /** The line number of the first text. */
  readonly #firstNumber: number;

  /** `place`: the file's path relative to the project, for messages. */
  constructor(stream: StreamId, place: string, bytes: Buffer, firstNumber = 1) {
    this.#stream = stream;
    this.#place = place;
    this.#firstNumber = firstNumber;
    this.#texts = bytes.toString().split("\n");
    if (this.#texts.pop() !== "") throw this.#bad(this.#texts.length);
  }

  get length(): number {
    return this.#texts.length;
  }

  /** The first line of a whole file. */
  checkpoint(): Snapshot {
    const parsed = this.#parsed<Partial<CheckpointLine>>(0);
    if (parsed.v !== undefined && parsed.v > LOG_VERSION) throw newer(`${this.#place}:1`, parsed.v);
    if (typeof parsed.checkpoint?.seq !== "number") throw this.#bad(0);
    return parsed.checkpoint;
  }

  /** A lower bound for the nth line's `seq`, read from its head without parsing more. */
  seqOf(n: number): number | undefined {
    return seqAtHead(this.#texts[n] ?? "");
  }

  /** The nth line with an event after `after`, searched from the end: callers have mostly seen the rest. */
  startAfter(after: number, from: number): number {
    let n = this.length;
    while (n > from && (this.seqOf(n - 1) ?? 0) > after + 1) n -= 1;
    return Math.max(from, n - 1);
  }

  /**
   * Lines from `from` on, at most `limit`, each continuing where the one before ended; the first begins at `seq` if that is known.
   * `isHistory`: lines recorded as lost are skipped. `into`: receives the lines, for callers that want those before a damage.
   */
  lines(from: number, options: LineOptions = {}): Stretch {
    const { limit = Infinity, isHistory = false, into: lines = [], places } = options;
    let next = options.seq;
    let pos = options.pos ?? 0;
    for (let n = from; n < this.#texts.length && lines.length < limit; n += 1) {
      const parsed = this.#parsed<Partial<Line & LostLine>>(n);
      if (parsed.lost && isHistory) {
        next = parsed.lost.to + 1;
        options.onLost?.(parsed.lost.to);
        continue;
      }
      const line = this.#checked(parsed, n);
      if (next !== undefined && line.seq !== next) throw this.#bad(n);
      // A line of another stream may have the right `seq` here, but not the right `pos`.
      if (line.pos <= pos && !continuesCopy(line)) throw this.#bad(n);
      lines.push(line);
      places?.push(this.#firstNumber + n);
      next = lastSeq(line) + 1;
      pos = line.pos;
    }
    return { lines, next, pos };
  }

  /** The last readable line, whatever comes before it. */
  lastLine(from: number): Line | undefined {
    for (let n = this.length - 1; n >= from; n -= 1) {
      try {
        return this.#checked(this.#parsed(n), n);
      } catch {
        continue; // damage, which others report
      }
    }
    return undefined;
  }

  /** For a file that ends too early. */
  missing(): Fault {
    return this.#bad(this.#texts.length);
  }

  #checked(line: Partial<Line>, n: number): Line {
    if (typeof line.v !== "number" || typeof line.seq !== "number" || typeof line.pos !== "number") throw this.#bad(n);
    if (line.v > LOG_VERSION) throw newer(`${this.#place}:${this.#firstNumber + n}`, line.v);
    const lifted = migrateLine(line as Line);
    if (!lifted || !Array.isArray(lifted.events) || lifted.events.length === 0) throw this.#bad(n);
    return lifted;
  }

  #parsed<Value>(n: number): Value {
    const text = checkedText(this.#texts[n] ?? "");
    if (text === undefined) throw this.#bad(n);
    try {
      const parsed: unknown = JSON.parse(text);
      if (typeof parsed === "object" && parsed !== null) return parsed as Value;
    } catch (error) {
      throw this.#bad(n, error);
    }
    throw this.#bad(n);
  }

  #bad(n: number, cause?: unknown): Fault {
    return corrupt(this.#stream, `${this.#place}:${this.#firstNumber + n}`, cause);
  }
}
