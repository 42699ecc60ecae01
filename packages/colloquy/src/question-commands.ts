import type { Engine } from "@colloquy/runtime";
import type { Command, QuestionId, RootId } from "@colloquy/schema";
import { give, type Signature } from "./give-command.ts";
import { type Receipt, signature, type Signed } from "./signed.ts";
import { unlessAborted } from "./unless-aborted.ts";

export interface AnswerInput extends Signed {
  readonly content?: string;
  /** Labels, or numbers from 0. */
  readonly choice?: readonly (string | number)[];
  /** The version that the person saw: another one is refused. */
  readonly shown?: string;
}

export interface DismissInput extends Signed {
  readonly why?: string;
}

export interface ApproveInput extends Signed {
  readonly shown?: string;
  readonly scope?: "once" | "dialog" | "task" | "project";
  readonly pattern?: string;
  readonly until?: number;
  /** With another input than the agent's. */
  readonly arguments?: unknown;
}

export interface DenyInput extends Signed {
  readonly why?: string;
  readonly shown?: string;
}

/** What people decide about a question. A "no" is thrown as `Refused`. */
export class QuestionCommands {
  readonly #engine: Engine;
  readonly #treeOf: (id: QuestionId) => Promise<RootId>;

  /** `treeOf`: in which tree a question was asked. */
  constructor(engine: Engine, treeOf: (id: QuestionId) => Promise<RootId>) {
    this.#engine = engine;
    this.#treeOf = treeOf;
  }

  answer(id: QuestionId, { content, choice, shown, ...signed }: AnswerInput): Promise<Receipt> {
    return this.#give(id, signed, (at) => ({
      type: "answer",
      ...at,
      ...(content !== undefined && { content }),
      ...(choice !== undefined && { choice: [...choice] }),
      ...(shown !== undefined && { shown }),
    }));
  }

  dismiss(id: QuestionId, { why, ...signed }: DismissInput = {}): Promise<Receipt> {
    return this.#give(id, signed, (at) => ({ type: "dismiss", ...at, ...(why !== undefined && { why }) }));
  }

  askBack(id: QuestionId, content: string, signed: Signed = {}): Promise<Receipt> {
    return this.#give(id, signed, (at) => ({ type: "ask_back", content, ...at }));
  }

  approve(id: QuestionId, { by, msgId, signal, ...how }: ApproveInput = {}): Promise<Receipt> {
    const signed = { ...(by !== undefined && { by }), ...(msgId !== undefined && { msgId }), ...(signal && { signal }) };
    return this.#give(id, signed, (at) => ({ type: "approve", ...at, ...how }));
  }

  deny(id: QuestionId, { why, shown, ...signed }: DenyInput = {}): Promise<Receipt> {
    return this.#give(id, signed, (at) => ({
      type: "deny",
      ...at,
      ...(why !== undefined && { why }),
      ...(shown !== undefined && { shown }),
    }));
  }

  #give(id: QuestionId, signed: Signed, make: (at: Signature & { question: QuestionId }) => Command): Promise<Receipt> {
    const command = make({ question: id, ...signature(signed) });
    return unlessAborted(signed.signal, async () => give(this.#engine, await this.#treeOf(id), command));
  }
}
