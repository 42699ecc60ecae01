import type { Commands } from "@colloquy/runtime";
import type { Command, NostrEvent, QuestionId, RootId } from "@colloquy/schema";
import { give, type Signature } from "../dialogs/give-command.ts";
import { type Receipt, signature, type Signed } from "../dialogs/signed.ts";
import { requireText } from "../dialogs/require-text.ts";
import { unlessAborted } from "../dialogs/unless-aborted.ts";

export interface AnswerInput extends Signed {
  readonly content?: string | undefined;
  /** A label, or a number from 0; a list if several may be chosen. */
  readonly choice?: string | number | readonly (string | number)[] | undefined;
  /** The version that the person saw: another one is refused. */
  readonly shown?: string | undefined;
  /** The signed event by which the person decided. It must have been verified. */
  readonly proof?: NostrEvent | undefined;
}

export interface DismissInput extends Signed {
  readonly why?: string | undefined;
}

export interface ApproveInput extends Signed {
  readonly shown?: string | undefined;
  readonly scope?: "once" | "dialog" | "task" | "project" | undefined;
  readonly pattern?: string | undefined;
  readonly until?: number | undefined;
  /** With a changed input. */
  readonly arguments?: unknown;
  /** The signed event by which the person decided. It must have been verified. */
  readonly proof?: NostrEvent | undefined;
}

export interface DenyInput extends Signed {
  /** The signed event by which the person decided. It must have been verified. */
  readonly proof?: NostrEvent | undefined;
  readonly why?: string | undefined;
  readonly shown?: string | undefined;
}

type Find = (typed: string) => Promise<{ readonly rootId: RootId; readonly id: QuestionId }>;
type Before = (id: string, answer: Pick<AnswerInput, "content" | "choice" | "by">) => Promise<void>;

/** People's decisions about a question. A refusal is thrown as `Refused`. */
export class QuestionCommands {
  readonly #commands: Commands;
  readonly #before: Before;
  readonly #find: Find;

  /** `before`: what an answer needs to have been done. `find`: the question that is meant, and the tree in which it was asked. */
  constructor(commands: Commands, find: Find, before: Before) {
    this.#commands = commands;
    this.#find = find;
    this.#before = before;
  }

  async answer(id: string, answer: AnswerInput | string): Promise<Receipt> {
    const { content, choice, shown, proof, ...signed } = typeof answer === "string" ? { content: answer } : answer;
    await this.#before(id, { content, choice, by: signed.by });
    return this.#give(id, signed, (at) => ({
      type: "answer",
      ...at,
      ...(content !== undefined && { content: requireText("content", content) }),
      ...(choice !== undefined && { choice: typeof choice === "object" ? [...choice] : [choice] }),
      ...(shown !== undefined && { shown }),
      ...(proof && { proof }),
    }));
  }

  dismiss(id: string, { why, ...signed }: DismissInput = {}): Promise<Receipt> {
    return this.#give(id, signed, (at) => ({ type: "dismiss", ...at, ...(why !== undefined && { why }) }));
  }

  askBack(id: string, content: string, signed: Signed = {}): Promise<Receipt> {
    return this.#give(id, signed, (at) => ({ type: "ask_back", content: requireText("content", content), ...at }));
  }

  approve(id: string, { shown, proof, scope, pattern, until, arguments: input, ...signed }: ApproveInput = {}): Promise<Receipt> {
    return this.#give(id, signed, (at) => ({
      type: "approve",
      ...at,
      ...(shown !== undefined && { shown }),
      ...(scope !== undefined && { scope }),
      ...(pattern !== undefined && { pattern }),
      ...(until !== undefined && { until }),
      ...(input !== undefined && { arguments: input }),
      ...(proof && { proof }),
    }));
  }

  deny(id: string, { why, shown, proof, ...signed }: DenyInput = {}): Promise<Receipt> {
    return this.#give(id, signed, (at) => ({
      type: "deny",
      ...at,
      ...(why !== undefined && { why }),
      ...(shown !== undefined && { shown }),
      ...(proof && { proof }),
    }));
  }

  async #give(id: string, signed: Signed, make: (at: Signature & { question: QuestionId }) => Command): Promise<Receipt> {
    const signedAs = signature(signed);
    // Invalid decisions are refused before the question is looked up.
    make({ question: id as QuestionId, ...signedAs });
    return unlessAborted(signed.signal, async () => {
      const { rootId, id: question } = await this.#find(id);
      return give(this.#commands, rootId, make({ question, ...signedAs }));
    });
  }
}
