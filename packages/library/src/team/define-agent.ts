import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { AiModel } from "@colloquy/models";
import type { OutputOf, StandardSchema, Tool } from "@colloquy/runtime";
import { Refused, type TaskKind } from "@colloquy/schema";
import { checkAgent } from "./check-agent.ts";
import { readOwnerFile } from "../open/owner-file.ts";

/** A model by name, a model of the AI SDK, or a list in order of preference. */
export type Models = string | AiModel | readonly (string | AiModel)[];

/** An agent in code. Only its id is ever written to the log. */
export interface DefinedAgent<Output extends StandardSchema = StandardSchema> {
  readonly id: string;
  readonly name?: string | undefined;
  /** The role prompt, or its file; a changed file counts from the next step on. */
  readonly role: string | { readonly file: string };
  /** By name, or a model of the AI SDK; or several, of which the first that works is used. */
  readonly model?: Models | undefined;
  /** Tools in code, and the groups and MCP servers by name, as in an agent's file. */
  readonly tools?: readonly (Tool | string)[] | undefined;
  /** The kinds of task that it takes. */
  readonly handles?: readonly TaskKind[] | undefined;
  readonly default?: boolean | undefined;
  /** Samples of fresh-boots reasoning; 0 disables it. */
  readonly fbrEffort?: number | undefined;
  /** How it asks: by calling tools (default), or in its text. */
  readonly asks?: "tools" | "text" | undefined;
  /** Schema of its result: its last JSON object is checked and returned by `result()`. */
  readonly output?: Output | undefined;
  /** A cheap model that replies to messages while the agent is busy; absent: a fixed text is sent. */
  readonly busyModel?: string | AiModel | undefined;
  /** `strict`: if its role, tools or model change while it waits, a person is asked before it continues. */
  readonly pin?: "strict" | undefined;
}

/** What `result()` returns for an agent: its text, or its `output`. */
export type ResultOf<Agent> =
  Agent extends DefinedAgent<infer Output> ? (StandardSchema extends Output ? string : OutputOf<Output>) : string;

/** Validates an agent and returns it unchanged. */
export function defineAgent<Output extends StandardSchema = StandardSchema>(agent: DefinedAgent<Output>): DefinedAgent<Output> {
  checkAgent(agent);
  return agent;
}

/** The role's text, read again when its file changes. */
export function roleReader(dir: string, role: DefinedAgent["role"]): () => string {
  if (typeof role === "string") return () => role;
  const file = resolve(dir, role.file);
  let known: { readonly stamp: number; readonly text: string } | undefined;
  return () => {
    const stamp = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (stamp === undefined) {
      if (known) return known.text;
      throw new Refused({ code: "not_found", message: `There is no file ${role.file} with the role of an agent.` });
    }
    if (known?.stamp !== stamp) known = { stamp, text: readOwnerFile(file) };
    return known.text;
  };
}
