import type { ActClass, CallEffects, CallKind, Form, FormAnswer } from "@colloquy/schema";
import type { ToolOffer } from "@colloquy/models";

/** What a tool in code is given with its input. It cannot ask: a function that waits in its middle would begin again after a restart. */
export interface ToolContext {
  /** Unique for ever: the key with which an effect outside is made once. */
  readonly callId: string;
  /** Aborted when somebody stops the dialog, when time is up, and at shutdown. */
  readonly signal: AbortSignal;
  readonly dialog: { readonly rootId: string; readonly selfId: string };
  readonly agent: string;
  /** The project's folder. */
  readonly dir: string;
  /** Live progress for people who watch. It is not kept, and no agent reads it. */
  readonly log: (text: string) => void;
  /** Keeps something beside the log, and gives the name under which it is found. The same name again replaces it. */
  readonly blob: (name: string, content: string | Uint8Array, mediaType?: string) => Promise<string>;
}

/** What a tool that is no function in code is given: a call that stays open while people are asked. */
export interface OpenCall extends ToolContext {
  /**
   * Asks a person. It may take weeks, and no time runs meanwhile. After a crash a repeatable tool is run again, and what was
   * answered is given to the same question without asking twice.
   */
  readonly ask: (question: ToolQuestion) => Promise<FormAnswer>;
  /** What the tool gave with the question that it last asked, if it goes on after that in another process. */
  readonly resume: unknown;
}

/** A question with what it wants to know, field by field. */
export interface ToolQuestion extends Omit<Form, "key"> {
  /** Told apart by its words and by how often it was asked, if it has none. */
  readonly key?: string;
  /** What it is about; the first line is the headline. */
  readonly message: string;
}

/** Thrown by a tool that cannot tell whether it took effect. */
export class OutcomeUnknown extends Error {
  override readonly name = "OutcomeUnknown";
}

/** A tool's answer when its effects wait on a layer until somebody has judged them. The tool's `staged` applies or discards them. */
export class StagedOutput {
  readonly output: string;
  readonly effects: CallEffects;
  /** For people: the list of effects and unified diffs, at most 18,000 characters; binary files by name only. */
  readonly shown: string;
  /** Absent: `effects` names every path. */
  readonly touched: TouchedPaths | undefined;

  constructor(output: string, effects: CallEffects, shown: string, touched?: TouchedPaths) {
    this.output = output;
    this.effects = effects;
    this.shown = shown;
    this.touched = touched;
  }
}

/** What came of applying a layer. `conflicts`: files that changed meanwhile; if there are any, nothing was applied. */
export interface Applied {
  readonly conflicts: readonly string[];
  /** What the agent should be told. */
  readonly notes: readonly string[];
}

/** Every path that a call touched on its layer; of very many, its effects have only the first. */
export interface TouchedPaths {
  readonly changed: readonly string[];
  /** Only their times or permissions are others. */
  readonly retimed: readonly string[];
}

/** A path that is not as a command left it. `call`: the later command that changed it, which can be undone first. */
export interface UndoConflict {
  readonly path: string;
  readonly call?: string | undefined;
}

/** What came of undoing an applied layer. With conflicts, or when it is gone, nothing was changed. */
export interface Undone {
  readonly conflicts: readonly UndoConflict[];
  /** What people and the agent should be told. */
  readonly notes: readonly string[];
  /** What the command replaced is not kept any more, or the command was never applied here. */
  readonly isGone?: true | undefined;
}

/** Applies, discards or undoes what calls left on their layers. Each of these may be called again. */
export interface LayerStore {
  apply(callId: string, dir: string): Promise<Applied>;
  discard(callId: string, dir: string): Promise<void>;
  /** Takes an applied layer back. */
  undo(callId: string, dir: string): Promise<Undone>;
  /** What a call that waits has touched, also after a restart. Absent: its effects name every path. */
  touched?(callId: string, dir: string): Promise<TouchedPaths | undefined>;
  /** Calls whose layers are applied and can perhaps be undone, the newest first. */
  undoable(dir: string): Promise<readonly string[]>;
  /** Finishes what was being applied or undone when the process died. Call it before anything else uses the folder. */
  recover(dir: string): Promise<void>;
  /** Removes the layers of calls that are not open, except one that is being applied. */
  sweep(dir: string, isOpen: (callId: string) => Promise<boolean>): Promise<void>;
}

export interface Staging extends LayerStore {
  /** Can a call in this folder touch nothing but its layer? Then it is judged by what it did; otherwise also by its words, before it runs. */
  holdsAll(dir: string): boolean;
  /** Finds out, without holding up anything, what `holdsAll` and the tool's approval will ask for. */
  tryOut?(dir: string): Promise<void>;
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
  /** Nobody knows what it does, and why: it asks, unless `permissions` allow it by name. */
  readonly unsure?: string | undefined;
  /** For a tool that answers with `StagedOutput`. */
  readonly staged?: Staging | undefined;
  /** Must a person approve this call first? A text says why. */
  approval(input: unknown): boolean | string;
  /** The input as the tool wants it, or what is wrong with it. */
  parse(input: unknown): Promise<ParsedInput> | ParsedInput;
  run(input: unknown, call: OpenCall): Promise<ToolOutput> | ToolOutput;
}

export type ParsedInput = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problems: string };
