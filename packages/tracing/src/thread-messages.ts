import type { SendingState } from "./follower.ts";
import type { Claimed } from "./log-source.ts";
import type { Resource } from "./otlp-json.ts";
import type { Target } from "./sender.ts";
import type { RootId } from "@colloquy/schema";

/** What the thread is started with. */
export interface ThreadData {
  readonly target: Target;
  readonly resource: Resource;
  readonly isShared: boolean;
  readonly isContentSent: boolean;
}

/** Agents' names, and keys to mask. Sent again when they change. */
export interface Described {
  readonly names: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

/** `text`: a line for each line of the log, the tree's id and then its JSON. */
export interface TakenText {
  readonly seen: number;
  readonly text: string;
  readonly trees: readonly RootId[];
  readonly isIncomplete: boolean;
}

/** What the thread asks of the log, and the answers. */
export interface Questions {
  readonly claim: { readonly asked: object; readonly answer: Claimed | undefined };
  readonly save: { readonly asked: { readonly pos: number }; readonly answer: boolean };
  readonly release: { readonly asked: object; readonly answer: void };
  readonly take: { readonly asked: object; readonly answer: TakenText };
  readonly lookAgain: { readonly asked: object; readonly answer: void };
  /** Lines as `TakenText.text`. */
  readonly read: { readonly asked: { readonly rootId: RootId; readonly after: number; readonly limit: number }; readonly answer: string };
  readonly changed: { readonly asked: { readonly pos: number; readonly isFirst: boolean }; readonly answer: readonly RootId[] };
}

export type Order = "flush" | "close";

export type ToThread =
  | { readonly type: "news"; readonly isMuch: boolean }
  | { readonly type: "described"; readonly described: Described }
  | { readonly type: "answer"; readonly id: number; readonly answer?: unknown; readonly error?: string }
  | { readonly type: "order"; readonly id: number; readonly order: Order };

export type FromThread =
  | { readonly type: "ask"; readonly id: number; readonly question: keyof Questions; readonly asked: object }
  | { readonly type: "state"; readonly state: SendingState }
  | { readonly type: "report"; readonly message: string }
  | { readonly type: "done"; readonly id: number; readonly error?: string };
