import { type Line, PROJECT_STREAM, type ProjectEvent, type QuestionId, type RootId } from "@colloquy/schema";
import type { NostrProject, Signed } from "./nostr-project.ts";
import { PROTOCOL } from "./origin.ts";

const PAGE_LINES = 2_000;

/** A question that was published, and its version. */
export interface AskedHere {
  readonly question: QuestionId;
  readonly shown: string;
}

/** What the project's own log says about Nostr: the dialogs that came from there, and what was signed for the relays. */
export class SignedLog {
  /** The `msgId` of the event that created a dialog. */
  readonly created = new Map<RootId, string>();
  /** The position of each signed event, by the tree's event that it makes public. */
  readonly #signed = new Map<string, number>();
  readonly #questions = new Map<string, AskedHere>();
  readonly #onSigned: (pos: number, signed: Signed) => void;
  #seq = 0;

  constructor(onSigned: (pos: number, signed: Signed) => void) {
    this.#onSigned = onSigned;
  }

  async read(project: Pick<NostrProject, "lines">): Promise<void> {
    for (;;) {
      const lines = await project.lines(PROJECT_STREAM, this.#seq, PAGE_LINES);
      for (const line of lines) this.see(line as Line<ProjectEvent>);
      if (lines.length === 0) return;
    }
  }

  see({ seq, pos, events }: Line<ProjectEvent>): void {
    for (const [at, event] of events.entries()) {
      if (seq + at <= this.#seq) continue;
      if (event.type === "tree.created" && event.msgId?.startsWith(PROTOCOL)) this.created.set(event.rootId, event.msgId);
      if (event.type !== "nostr.signed") continue;
      this.#signed.set(keyOf(event.rootId, event.cause), pos);
      const { question, shown } = event;
      if (question !== undefined && shown !== undefined) this.#questions.set(event.event.id, { question, shown });
      this.#onSigned(pos, event);
    }
    this.#seq = Math.max(this.#seq, seq + events.length - 1);
  }

  isSigned(rootId: RootId, cause: number): boolean {
    return this.#signed.has(keyOf(rootId, cause));
  }

  /** The question that an event of ours asked. */
  question(id: string | undefined): AskedHere | undefined {
    return id === undefined ? undefined : this.#questions.get(id);
  }

  /** Nobody asks about what was signed up to here any more. */
  forget(pos: number): void {
    for (const [key, signedAt] of this.#signed) if (signedAt <= pos) this.#signed.delete(key);
  }
}

const keyOf = (rootId: RootId, cause: number): string => `${rootId}/${cause}`;
