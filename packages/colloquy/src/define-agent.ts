import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { OutputOf, StandardSchema, Tool } from "@colloquy/runtime";
import { AgentId, Refused, type TaskKind } from "@colloquy/schema";

/** An agent in code. Only its id is ever written to the log. */
export interface DefinedAgent<Output extends StandardSchema = StandardSchema> {
  readonly id: string;
  readonly name?: string;
  /** The role prompt, or the file that it stands in; a changed file counts from the next step on. */
  readonly role: string | { readonly file: string };
  readonly model?: string;
  /** Tools in code, and by name the groups and MCP servers that an agent in a file can name. */
  readonly tools?: readonly (Tool | string)[];
  /** The kinds of task that it takes. */
  readonly handles?: readonly TaskKind[];
  readonly default?: boolean;
  /** Samples of fresh-boots reasoning; 0 disables it. */
  readonly fbrEffort?: number;
  /** How it asks: by calling tools (default), or in its text. */
  readonly asks?: "tools" | "text";
  /** What it ends with: its last JSON object is checked, and `result()` gives it. */
  readonly output?: Output;
  /** A cheap model that answers whoever writes to it while it is busy; absent: a fixed text does. */
  readonly busyModel?: string;
}

/** What `result()` gives for an agent: its text, or the object that it promises. */
export type ResultOf<Agent> = Agent extends { readonly output: infer Output extends StandardSchema } ? OutputOf<Output> : string;

/** The same, checked: its types are those that were written. */
export function defineAgent<const Agent extends DefinedAgent>(agent: Agent & Exactly<Agent>): Agent {
  if (!AgentId.safeParse(agent.id).success)
    throw new Refused({ code: "bad_request", message: `"${agent.id}" is no agent's id. ${ID_FORM}` });
  return agent;
}

/** A field that no agent has does not compile. */
type Exactly<Agent> = { readonly [Key in Exclude<keyof Agent, keyof DefinedAgent>]: never };

const ID_FORM = "It begins with a letter and holds letters, digits, _ and -.";

/** The role's text, read anew when its file has changed. */
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
    if (known?.stamp !== stamp) known = { stamp, text: readFileSync(file, "utf8") };
    return known.text;
  };
}
