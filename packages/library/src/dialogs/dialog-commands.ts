import { changeMind, type Engine } from "@colloquy/runtime";
import { type Command, type DialogId, type Phase, Refused } from "@colloquy/schema";
import { give, type Signature } from "./give-command.ts";
import type { Place, Where } from "../open/place.ts";
import { type Receipt, signature, type Signed } from "./signed.ts";
import { textOf } from "./text-of.ts";
import { unlessAborted } from "./unless-aborted.ts";

export interface PhaseInput extends Signed {
  readonly why?: string | undefined;
  readonly summary?: string | undefined;
}

export interface StopInput extends Signed {
  /** And whoever works for it, along the assignments. */
  readonly tree?: boolean | undefined;
}

export interface ClearMindInput extends Signed {
  readonly reminder?: string | undefined;
}

export interface ChangeMindInput extends Signed {
  /** The version that the person saw: another one is refused. */
  readonly shown?: string | undefined;
}

/** What people want of a dialog. A "no" is thrown as `Refused`. */
export class DialogCommands {
  readonly #engine: Engine;
  readonly #at: (where: Where) => Promise<Place>;

  /** `at`: where a dialog is. */
  constructor(engine: Engine, at: (where: Where) => Promise<Place>) {
    this.#engine = engine;
    this.#at = at;
  }

  verb(type: "resume" | "done" | "archive" | "dead", where: Where, signed: Signed = {}): Promise<Receipt> {
    return this.#give(where, signed, (at) => ({ type, ...at }));
  }

  stop(where: Where, { tree = false, ...signed }: StopInput = {}): Promise<Receipt> {
    return this.#give(where, signed, (at) => ({ type: "stop", ...at, ...(tree && { tree }) }));
  }

  rename(where: Where, title: string, signed: Signed = {}): Promise<Receipt> {
    return this.#give(where, signed, (at) => ({ type: "rename", title: textOf("title", title), ...at }));
  }

  phase(where: Where, phase: Phase, { why, summary, ...signed }: PhaseInput = {}): Promise<Receipt> {
    return this.#give(where, signed, (at) => ({
      type: "set_phase",
      phase,
      ...at,
      ...(why !== undefined && { why }),
      ...(summary !== undefined && { summary }),
    }));
  }

  clearMind(where: Where, { reminder, ...signed }: ClearMindInput = {}): Promise<Receipt> {
    return this.#give(where, signed, (at) => ({ type: "clear_mind", ...at, ...(reminder !== undefined && { reminder }) }));
  }

  /** A document is changed beside the log, so this is no command to the tree alone. */
  async changeMind(
    where: Where,
    selector: "goals" | "constraints" | "progress",
    content: string,
    { shown, ...signed }: ChangeMindInput = {},
  ): Promise<Receipt> {
    signed.signal?.throwIfAborted();
    const { rootId, selfId } = await this.#at(where);
    const wish = {
      dialog: selfId,
      selector,
      content: textOf("content", content),
      ...signature(signed),
      ...(shown !== undefined && { shown }),
    };
    const outcome = await unlessAborted(signed.signal, () => changeMind(this.#engine, rootId, wish));
    if (!outcome.ok) throw new Refused(outcome.refusal);
    return { seq: outcome.seq };
  }

  remind(where: Where, content: string, signed: Signed = {}): Promise<Receipt> {
    return this.#give(where, signed, (at) => ({ type: "add_reminder", content: textOf("content", content), ...at }));
  }

  changeReminder(where: Where, reminder: number, content: string | undefined, signed: Signed = {}): Promise<Receipt> {
    return this.#give(where, signed, (at) =>
      content === undefined ? { type: "delete_reminder", reminder, ...at } : { type: "update_reminder", reminder, content, ...at },
    );
  }

  async #give(where: Where, signed: Signed, make: (at: Signature & { dialog: DialogId }) => Command): Promise<Receipt> {
    signed.signal?.throwIfAborted();
    const { rootId, selfId } = await this.#at(where);
    return unlessAborted(signed.signal, () => give(this.#engine, rootId, make({ dialog: selfId, ...signature(signed) })));
  }
}
