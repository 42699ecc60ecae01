import { Refused, type RouteName } from "@colloquy/schema";
import { Disconnected } from "./disconnected.ts";
import { type Observable, Observed } from "./observable.ts";

/** A command by its route. Its `msgId` makes a second delivery harmless. */
export interface Command {
  readonly msgId: string;
  /** When it was given, in milliseconds. */
  readonly givenAt: number;
  readonly projectId: string | undefined;
  readonly route: RouteName;
  readonly params: Readonly<Record<string, string | number>>;
  readonly body: object;
  /** A `traceparent`: the span that led to it. */
  readonly trace?: string | undefined;
}

/** Stores unanswered commands, so that they survive a reload of the page. */
export interface KeptCommands {
  all(): readonly Command[];
  keep(command: Command): void;
  forget(command: Command): void;
}

export interface QueueOptions {
  /** Makes one attempt. Throws `Refused`, or `Disconnected` if no answer came. */
  send(command: Command): Promise<unknown>;
  after(ms: number, act: () => void): () => void;
  readonly kept?: KeptCommands | undefined;
  readonly patience?: Patience | undefined;
}

/** How often a command without an answer is sent again. */
export interface Patience {
  /** The first pause. Each later one is twice as long. */
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  /** After so many attempts without an answer the command fails with `Disconnected`. */
  readonly attempts: number;
}

interface Entry {
  readonly command: Command;
  readonly accepted: (answer: never) => void;
  readonly refused: (error: unknown) => void;
  /** The page that gave it is gone. */
  readonly isOrphan: boolean;
  isUnsent: boolean;
  attempts: number;
}

const UNTIL_ANSWERED: Patience = { firstPauseMs: 1_000, maxPauseMs: 15_000, attempts: Number.POSITIVE_INFINITY };
/** The largest request that a server accepts. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
const NO_COMMANDS: readonly Command[] = [];
/** Not an answer to the command: it may be resent. */
const PASSING: ReadonlySet<string> = new Set(["unavailable", "rate_limited"]);
/** Refusals that a person can act on. If the page that gave the command is gone, nobody is told, so the command is sent again. */
const NOBODY_TOLD: ReadonlySet<string> = new Set([...PASSING, "log_full", "log_unavailable", "internal"]);

/**
 * Commands on their way to the server. An unanswered one is resent under the same `msgId` until it is answered. Commands to the same
 * dialog or question are sent one after the other; stopping a dialog doesn't wait for the others.
 */
export class CommandQueue {
  readonly #options: QueueOptions;
  readonly #lanes = new Map<string, Entry[]>();
  readonly #unsent = new Observed(NO_COMMANDS);
  readonly #patience: Patience;
  #cancelRetry = () => {};
  #pauseMs: number;
  #isClosed = false;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#patience = options.patience ?? UNTIL_ANSWERED;
    this.#pauseMs = this.#patience.firstPauseMs;
    // Nobody waits for their answers; the changes they cause are shown.
    for (const command of options.kept?.all() ?? []) this.#give(command, true).catch(() => undefined);
  }

  /** The commands that could not be delivered so far, oldest first in each dialog. */
  get unsent(): Observable<readonly Command[]> {
    return this.#unsent;
  }

  /** Resolves with the server's answer once the command is durable; throws `Refused`. */
  give<Answer>(command: Command): Promise<Answer> {
    if (this.#isClosed) return Promise.reject(closed());
    if (JSON.stringify(command.body).length > MAX_CHARACTERS)
      return Promise.reject(new Refused({ code: "too_large", message: "A command may have at most 4 MB." }));
    this.#options.kept?.keep(command);
    return this.#give(command, false);
  }

  /** Skips the pause: the server is reachable again. */
  retryNow(): void {
    this.#cancelRetry();
    this.#pauseMs = this.#patience.firstPauseMs;
    for (const [lane, [first]] of this.#lanes) if (first?.isUnsent) this.#send(lane, first);
  }

  /** Fails all waiting callers. Unanswered commands stay in the storage, for the next page. */
  close(): void {
    this.#isClosed = true;
    this.#cancelRetry();
    const pending = [...this.#lanes.values()].flat();
    this.#lanes.clear();
    for (const { refused } of pending) refused(closed());
  }

  #give<Answer>(command: Command, isOrphan: boolean): Promise<Answer> {
    return new Promise<Answer>((accepted, refused) => {
      const entry: Entry = { command, accepted, refused, isOrphan, isUnsent: false, attempts: 0 };
      const lane = laneOf(command);
      const before = this.#lanes.get(lane);
      if (before) before.push(entry);
      else {
        this.#lanes.set(lane, [entry]);
        this.#send(lane, entry);
      }
    });
  }

  #send(lane: string, entry: Entry): void {
    entry.attempts += 1;
    this.#options.send(entry.command).then(
      (answer) => this.#ended(lane, entry, () => entry.accepted(answer as never)),
      (error: unknown) => {
        const isAnswer = error instanceof Refused && !(entry.isOrphan ? NOBODY_TOLD : PASSING).has(error.code);
        const isLast = entry.attempts >= this.#patience.attempts;
        if (isAnswer || isLast) this.#ended(lane, entry, () => entry.refused(error));
        else if (this.#isFirst(lane, entry)) this.#failed(entry);
      },
    );
  }

  /** A command sent twice may be answered twice. */
  #isFirst(lane: string, entry: Entry): boolean {
    return this.#lanes.get(lane)?.[0] === entry;
  }

  #ended(lane: string, entry: Entry, tell: () => void): void {
    if (!this.#isFirst(lane, entry)) return;
    this.#options.kept?.forget(entry.command);
    const [, ...rest] = this.#lanes.get(lane) ?? [];
    const [next] = rest;
    if (next) this.#lanes.set(lane, rest);
    else this.#lanes.delete(lane);
    this.#count();
    tell();
    if (next) this.#send(lane, next);
  }

  #failed(entry: Entry): void {
    entry.isUnsent = true;
    this.#count();
    this.#cancelRetry();
    this.#cancelRetry = this.#options.after(this.#pauseMs, () => {
      const pauseMs = Math.min(this.#patience.maxPauseMs, this.#pauseMs * 2);
      this.retryNow();
      this.#pauseMs = pauseMs;
    });
  }

  #count(): void {
    const unsent = [...this.#lanes.values()].flatMap((entries) => (entries[0]?.isUnsent ? entries.map(({ command }) => command) : []));
    if (unsent.length > 0 || this.#unsent.getSnapshot().length > 0) this.#unsent.set(unsent);
  }
}

const closed = () => new Disconnected("The connection was closed before an answer came.");

const laneOf = ({ route, projectId = "", params: { id, qid, tid } }: Command): string =>
  route === "stop" ? `stop ${id}` : `${projectId} ${id ?? qid ?? tid ?? ""}`;

/** The part of `localStorage` used here. */
export interface KeyStorage {
  readonly length: number;
  key(nth: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** In a browser commands outlive a reload of the page. */
export function keptInBrowser(): KeptCommands | undefined {
  try {
    const { localStorage } = globalThis as { localStorage?: KeyStorage };
    return localStorage && "document" in globalThis ? keptIn(localStorage) : undefined;
  } catch {
    return undefined; // pages may be forbidden to store anything
  }
}

/** Each command has its own key, so that two pages don't overwrite each other's. Any page may send it; it takes effect once. */
export function keptIn(storage: KeyStorage, prefix = "colloquy.unsent."): KeptCommands {
  // The same `msgId` in two projects is two commands.
  const keyOf = ({ projectId = "", msgId }: Command) => `${prefix}${projectId} ${msgId}`;
  return {
    all() {
      const keys = Array.from({ length: storage.length }, (_, nth) => storage.key(nth)).filter((key) => key?.startsWith(prefix));
      return keys.flatMap((key) => readCommand(storage.getItem(key ?? ""))).toSorted((a, b) => a.givenAt - b.givenAt);
    },
    keep(command) {
      try {
        storage.setItem(keyOf(command), JSON.stringify(command));
      } catch {
        // No room: it is kept while the page is open.
      }
    },
    forget: (command) => storage.removeItem(keyOf(command)),
  };
}

function readCommand(text: string | null): readonly Command[] {
  try {
    const command = JSON.parse(text ?? "") as Command;
    return typeof command.msgId === "string" && typeof command.route === "string" ? [command] : [];
  } catch {
    return [];
  }
}
