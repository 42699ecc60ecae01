import type { Engine } from "@colloquy/runtime";
import { type Command, type DialogId, type QuestionId, Refused, type RootId } from "@colloquy/schema";
import { placeOf, type Where } from "./place.ts";
import { type Receipt, signature, type Signed } from "./signed.ts";
import { unlessAborted } from "./unless-aborted.ts";

interface Signature {
  readonly by: string;
  readonly msgId?: string;
}

/** What people want of a dialog or a question, as commands. A "no" is thrown as `Refused`. */
export class Commands {
  readonly #engine: Engine;
  readonly #treeOf: (id: QuestionId) => Promise<RootId>;

  /** `treeOf`: in which tree a question was asked. */
  constructor(engine: Engine, treeOf: (id: QuestionId) => Promise<RootId>) {
    this.#engine = engine;
    this.#treeOf = treeOf;
  }

  toDialog(where: Where, signed: Signed, make: (at: Signature & { dialog: DialogId }) => Command): Promise<Receipt> {
    const { rootId, selfId } = placeOf(where);
    return unlessAborted(signed.signal, () => this.#send(rootId, make({ dialog: selfId, ...signature(signed) })));
  }

  toQuestion(id: QuestionId, signed: Signed, make: (at: Signature & { question: QuestionId }) => Command): Promise<Receipt> {
    return unlessAborted(signed.signal, async () => this.#send(await this.#treeOf(id), make({ question: id, ...signature(signed) })));
  }

  async #send(rootId: RootId, command: Command): Promise<Receipt> {
    const outcome = await this.#engine.command(rootId, command);
    if (!outcome.ok) throw new Refused(outcome.refusal);
    return { seq: outcome.seq };
  }
}
