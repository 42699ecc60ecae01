export type Language = "en" | "zh";

/** What a template adds to a new project. */
export interface TeamTemplate {
  /** One line, for whoever chooses. */
  readonly about: string;
  /** The block below `agents:` in colloquy.yaml; empty when every agent has a file of its own. */
  readonly agents: string;
  /** Further files, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Who is in it, for people. */
  readonly team: readonly string[];
  /** A first message worth sending. */
  readonly firstMessage: string;
  /** Commands to try, where a message is not the way to begin. */
  readonly tries?: readonly string[];
  /** What plays the team until there is a real model; absent: a general one. */
  readonly script?: string;
}
