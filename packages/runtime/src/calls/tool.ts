import type { ActClass, CallEffects, CallKind, Form, FormAnswer } from "@colloquy/schema";
import type { ToolOffer } from "@colloquy/models";

/** Passed to a tool in code with its input. Such a tool can't ask people: a suspended function would start over after a restart. */
export interface ToolContext {
  /** Globally unique: use it as the idempotency key for an effect outside. */
  readonly callId: string;
  /** Aborted when somebody stops the dialog, on timeout, and at shutdown. */
  readonly signal: AbortSignal;
  readonly dialog: { readonly rootId: string; readonly selfId: string };
  readonly agent: string;
  /** The project's folder. */
  readonly dir: string;
  /** The call's span as a `traceparent`, to pass on to other programs. Only while traces are on. */
  readonly traceparent?: string | undefined;
  /** Live progress for people who watch. Not stored, and not shown to agents. */
  readonly log: (text: string) => void;
  /** Stores something beside the log and returns its name. Storing under the same name replaces it. */
  readonly blob: (name: string, content: string | Uint8Array, mediaType?: string) => Promise<string>;
}

/** Passed to a tool's `undo` with the input of the call that is undone. `callId` is the undo's own: use it as its idempotency key. */
export interface UndoneCall extends Pick<ToolContext, "callId" | "signal" | "dialog" | "agent" | "dir"> {
  /** The call that is undone, and its result as the agent read it. */
  readonly undoes: { readonly callId: string; readonly output: string };
  /** The person who asked for it. */
  readonly by: string;
}

/** Passed to a tool that isn't a function in code: a call that stays open while people are asked. */
export interface OpenCall extends ToolContext {
  /**
   * Asks a person. It may take weeks, and doesn't count towards the timeout. After a crash a repeatable tool runs again and gets the
   * recorded answer to the same question without asking twice.
   */
  readonly ask: (question: ToolQuestion) => Promise<FormAnswer>;
  /** The state that the tool passed with its last question, if it resumes after that in another process. */
  readonly resume: unknown;
}

/** A question with form fields. */
export interface ToolQuestion extends Omit<Form, "key"> {
  /** Default: its text and how often it was asked. */
  readonly key?: string;
  /** The question; its first line is the headline. */
  readonly message: string;
}

/** Thrown by a tool that can't tell whether it took effect. */
export class OutcomeUnknown extends Error {
  override readonly name = "OutcomeUnknown";
}

/** Returned by a tool whose effects wait on a layer until they are judged. The tool's `staged` applies or discards them. */
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

/** The outcome of applying a layer. `conflicts`: files that changed meanwhile; if there are any, nothing was applied. */
export interface Applied {
  readonly conflicts: readonly string[];
  /** Notes for the agent. */
  readonly notes: readonly string[];
}

/** Every path that a call touched on its layer; `effects` lists only the first if there are very many. */
export interface TouchedPaths {
  readonly changed: readonly string[];
  /** Paths of which only times or permissions changed. */
  readonly retimed: readonly string[];
}

/** A path that differs from what the command left. `call`: the later command that changed it, which can be undone first. */
export interface UndoConflict {
  readonly path: string;
  readonly call?: string | undefined;
}

/** The outcome of undoing an applied layer. Nothing is changed if there are conflicts or the layer is gone. */
export interface Undone {
  readonly conflicts: readonly UndoConflict[];
  /** Notes for people and the agent. */
  readonly notes: readonly string[];
  /** The versions that the command replaced are no longer kept, or the command was never applied here. */
  readonly isGone?: true | undefined;
}

/** Applies, discards or undoes what calls left on their layers. Every method may be called again. */
export interface LayerStore {
  apply(callId: string, dir: string): Promise<Applied>;
  discard(callId: string, dir: string): Promise<void>;
  /** Takes an applied layer back. */
  undo(callId: string, dir: string): Promise<Undone>;
  /** The paths that a waiting call touched, also after a restart. Absent: its effects name every path. */
  touched?(callId: string, dir: string): Promise<TouchedPaths | undefined>;
  /** Calls with applied layers that may be undoable, newest first. */
  undoable(dir: string): Promise<readonly string[]>;
  /** Finishes applying or undoing what a dead process left halfway. Call it before anything else uses the folder. */
  recover(dir: string): Promise<void>;
  /** Removes the layers of calls that are not open, except one that is being applied. */
  sweep(dir: string, isOpen: (callId: string) => Promise<boolean>): Promise<void>;
}

export interface Staging extends LayerStore {
  /**
   * True if a call in this folder can touch nothing but its layer. Then it is judged by its effects; otherwise also by its words,
   * before it runs.
   */
  holdsAll(dir: string): boolean;
  /** Determines what `holdsAll` and the tool's approval will need, without blocking the process as they would. */
  tryOut?(dir: string): Promise<void>;
}

/** Text, or anything that has a JSON form. */
export type ToolOutput = string | number | boolean | null | object | undefined;

/** Something that agents can call. The model reads errors that it throws; they stop nothing. */
export interface Tool {
  readonly offer: ToolOffer;
  readonly kind: CallKind;
  /** May be run again after a crash that hid its outcome. Readers are. */
  readonly repeatable: boolean;
  /** Expected to return the same result again and again. */
  readonly polls: boolean;
  readonly timeoutMs: number;
  /** The class of its calls, unless their inputs tell. */
  readonly class?: ActClass | undefined;
  /** The reason why its effects are unknown: it asks, unless `permissions` allow it by name. */
  readonly unsure?: string | undefined;
  /** For a tool that answers with `StagedOutput`. */
  readonly staged?: Staging | undefined;
  /** Whether a person must approve this call first. A text gives the reason. */
  approval(input: unknown): boolean | string;
  /** Parses the input, or says what is wrong with it. */
  parse(input: unknown): Promise<ParsedInput> | ParsedInput;
  run(input: unknown, call: OpenCall): Promise<ToolOutput> | ToolOutput;
  /** Takes the effect of a call back. */
  undo?(input: unknown, call: UndoneCall): Promise<ToolOutput> | ToolOutput;
}

export type ParsedInput = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problems: string };
