import type { Language } from "../line/language.ts";

export type { Language };

/** What a template adds to a new project. */
export interface TeamTemplate {
  /** One line, to choose by. */
  readonly about: string;
  /** The block below `agents:` in colloquy.yaml; empty if every agent has its own file. */
  readonly agents: string;
  /** Further files, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Its members, for people. */
  readonly team: readonly string[];
  /** A first message worth sending. */
  readonly firstMessage: string;
  /** Commands to try, if a message isn't the way to start. */
  readonly tries?: readonly string[];
  /** The script that plays the team until there is a real model; default: a general one. */
  readonly script?: string;
}
