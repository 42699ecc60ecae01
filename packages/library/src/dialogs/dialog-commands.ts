import { changeMind, type Engine } from "@colloquy/runtime";
import { type Command, type DialogAddress, type DialogId, type Phase, Refused } from "@colloquy/schema";
import { give, type Signature } from "./give-command.ts";
import type { DialogReference } from "../open/dialog-reference.ts";
import { type Receipt, signature, type Signed } from "./signed.ts";
import { requireText } from "./require-text.ts";
import { unlessAborted } from "./unless-aborted.ts";

export interface PhaseInput extends Signed {
  readonly why?: string | undefined;
  readonly summary?: string | undefined;
}

export interface StopInput extends Signed {
  /** Also stops the side dialogs that serve it, at any depth. */
  readonly tree?: boolean | undefined;
}

export interface ClearMindInput extends Signed {
  readonly reminder?: string | undefined;
}

export interface ChangeMindInput extends Signed {
  /** The version that the person saw: another one is refused. */
  readonly shown?: string | undefined;
}

/** People's commands to a dialog. A refusal is thrown as `Refused`. */
export class DialogCommands {
  readonly #engine: Engine;
  readonly #at: (where: DialogReference) => Promise<DialogAddress>;

  /** `at`: where a dialog is. */
  constructor(engine: Engine, at: (where: DialogReference) => Promise<DialogAddress>) {
    this.#engine = engine;
    this.#at = at;
  }

  verb(type: "resume" | "done" | "archive" | "dead", where: DialogReference, signed: Signed = {}): Promise<Receipt> {
    return this.#give(where, signed, (at) => ({ type, ...at }));
  }

  stop(where: DialogReference, { tree = false, ...signed }: StopInput = {}): Promise<Receipt> {
    return this.#give(where, signed, (at) => ({ type: "stop", ...at, ...(tree && { tree }) }));
  }

  rename(where: DialogReference, title: string, signed: Signed = {}): Promise<Receipt> {
    return this.#give(where, signed, (at) => ({ type: "rename", title: requireText("title", title), ...at }));
  }

  phase(where: DialogReference, phase: Phase, { why, summary, ...signed }: PhaseInput = {}): Promise<Receipt> {
    return this.#give(where, signed, (at) => ({
      type: "set_phase",
      phase,
      ...at,
      ...(why !== undefined && { why }),
      ...(summary !== undefined && { summary }),
    }));
  }

  clearMind(where: DialogReference, { reminder, ...signed }: ClearMindInput = {}): Promise<Receipt> {
    return this.#give(where, signed, (at) => ({ type: "clear_mind", ...at, ...(reminder !== undefined && { reminder }) }));
  }

  /** A document lives beside the log, so changing it is more than a command to the tree. */
  async changeMind(
    where: DialogReference,
    selector: "goals" | "constraints" | "progress",
    content: string,
    { shown, ...signed }: ChangeMindInput = {},
  ): Promise<Receipt> {
    signed.signal?.throwIfAborted();
    const { rootId, selfId } = await this.#at(where);
    const wish = {
      dialog: selfId,
      selector,
      content: requireText("content", content),
      ...signature(signed),
      ...(shown !== undefined && { shown }),
    };
    const outcome = await unlessAborted(signed.signal, () => changeMind(this.#engine, rootId, wish));
    if (!outcome.ok) throw new Refused(outcome.refusal);
    return { seq: outcome.seq };
  }

  remind(where: DialogReference, content: string, signed: Signed = {}): Promise<Receipt> {
    return this.#give(where, signed, (at) => ({ type: "add_reminder", content: requireText("content", content), ...at }));
  }

  changeReminder(where: DialogReference, reminder: number, content: string | undefined, signed: Signed = {}): Promise<Receipt> {
    return this.#give(where, signed, (at) =>
      content === undefined ? { type: "delete_reminder", reminder, ...at } : { type: "update_reminder", reminder, content, ...at },
    );
  }

  async #give(where: DialogReference, signed: Signed, make: (at: Signature & { dialog: DialogId }) => Command): Promise<Receipt> {
    signed.signal?.throwIfAborted();
    const { rootId, selfId } = await this.#at(where);
    return unlessAborted(signed.signal, () => give(this.#engine.commands, rootId, make({ dialog: selfId, ...signature(signed) })));
  }
}
