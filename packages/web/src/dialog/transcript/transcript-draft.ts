import type { At, Row } from "./rows.ts";

/** A transcript while it is made: rows in order, found again by name when a later event changes them. */
export class TranscriptDraft {
  readonly dialogId: string;
  readonly rows: Row[] = [];
  readonly #places = new Map<string, number>();
  /** Messages, and the agents that have not read them yet. */
  readonly #unread = new Map<number, ReadonlySet<string>>();

  constructor(dialogId: string) {
    this.dialogId = dialogId;
  }

  add(row: Row, name?: string): void {
    if (name !== undefined) this.#places.set(name, this.rows.length);
    this.rows.push(row);
  }

  /** Changes a row, if it is loaded and of this kind. */
  change<Kind extends Row["kind"]>(name: string, kind: Kind, next: (row: Extract<Row, { kind: Kind }>) => Partial<Row>): void {
    const place = this.#places.get(name);
    const row = place === undefined ? undefined : this.rows[place];
    if (place === undefined || row?.kind !== kind) return;
    this.rows[place] = { ...row, ...next(row as Extract<Row, { kind: Kind }>) } as Row;
  }

  addUnread(seq: number, agents: readonly string[]): void {
    this.#unread.set(seq, new Set(agents));
  }

  /** The agent has been shown everything up to `seen`. */
  markRead(agent: string, seen: number): void {
    for (const [message, agents] of this.#unread) {
      if (message > seen || !agents.has(agent)) continue;
      this.#unread.delete(message);
      this.change(`m${message}`, "person", () => ({ isUnread: false }));
    }
  }
}

/** An event becomes rows, or changes some. */
export type Show<Event> = (draft: TranscriptDraft, event: Event, here: At) => void;
