import type { Language } from "@colloquy/core";
import type { AutonomyConfig, ContextConfig, Fault, LimitsConfig, Permission, RetentionConfig, TaskKind } from "@colloquy/schema";
import type { PromisedOutput } from "../step/promised-output.ts";
import type { Runner } from "../engine/runner.ts";
import type { Tool } from "../calls/tool.ts";

/** An agent as it is now. Looked up at each step, so that a changed configuration counts from the next step. */
export interface TeamMember {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  /** The current tools: those of a server come and go. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Starts what its tools need, before a step. Never throws. */
  prepare?(needed?: readonly string[]): Promise<void>;
  /** Tools that it should have but hasn't, one line each with the reason. */
  missing?(): readonly string[];
  /** Why this tool is missing, if it should exist. */
  absent?(tool: string): string | undefined;
  /** The models that it is defined with, by name. */
  readonly models?: readonly string[] | undefined;
  /** A person is asked before a turn of it continues under a changed definition. */
  readonly pin?: "strict" | undefined;
  /** Samples of fresh-boots reasoning; 0 disables it. */
  readonly fbrEffort: number;
  /** How it asks: by tool calls, or in its text. */
  readonly asks: "tools" | "text";
  /** The output it promises. */
  readonly output?: PromisedOutput | undefined;
  readonly outputSchema?: string | undefined;
  /** It has the tools of the group `tasks`. */
  readonly hasTasks: boolean;
  /** The kinds of task that it takes. */
  readonly handles: readonly TaskKind[];
  /** Throws `Fault` if none of its models is available. `step`: one whose refusals are remembered. */
  runner(step?: string): Runner;
  /** After a fault of a model: undefined if another one can try at once, else the fault that decides what happens. */
  fallBack?(step: string, runner: Runner, fault: Fault): Fault | undefined;
  /** The cheap model that replies while the agent is busy, if it has one. */
  readonly busyRunner?: (() => Runner) | undefined;
}

export interface Team {
  readonly language: Language;
  readonly limits: LimitsConfig;
  readonly context: ContextConfig;
  readonly retention: RetentionConfig | undefined;
  /** The model that titles dialogs, if there is one. */
  readonly titleRunner?: (() => Runner) | undefined;
  readonly autonomy: AutonomyConfig;
  readonly permissions: Readonly<Record<string, Permission>>;
  /** Files whose change is an architecture decision. */
  readonly architecture: readonly string[];
  member(id: string): TeamMember | undefined;
  members(): readonly TeamMember[];
}
