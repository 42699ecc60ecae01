import type { ActClass, CallKind } from "@colloquy/schema";
import type { ToolOffer } from "@colloquy/models";

export interface ToolContext {
  /** Unique for ever: the key with which an effect outside is made once. */
  readonly callId: string;
  /** Aborted when somebody stops the dialog, when time is up, and at shutdown. */
  readonly signal: AbortSignal;
  readonly dialog: { readonly rootId: string; readonly selfId: string };
  readonly agent: string;
  /** The project's folder. */
  readonly dir: string;
  /** A word to whoever watches, now. It is not kept, and no agent reads it. */
  readonly log: (text: string) => void;
  /** Keeps something beside the log, and gives the name under which it is found. The same name again replaces it. */
  readonly blob: (name: string, content: string | Uint8Array) => Promise<string>;
}

/** Text, or anything that has a JSON form. */
export type ToolOutput = string | number | boolean | null | object | undefined;

/** Something that agents can call. Thrown errors are told to the model; they stop nothing. */
export interface Tool {
  readonly offer: ToolOffer;
  readonly kind: CallKind;
  /** May be run again after a crash that hid its outcome. Readers are. */
  readonly repeatable: boolean;
  /** Is expected to give the same result again and again. */
  readonly polls: boolean;
  readonly timeoutMs: number;
  /** What its calls are, where that is not told by their inputs. */
  readonly class?: ActClass | undefined;
  /** Must a person approve this call first? A text says why. */
  approval(input: unknown): boolean | string;
  /** The input as the tool wants it, or what is wrong with it. */
  parse(input: unknown): Promise<ParsedInput> | ParsedInput;
  run(input: unknown, context: ToolContext): Promise<ToolOutput> | ToolOutput;
}

export type ParsedInput = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problems: string };
