import { type Line, publicKeyIn, type QuestionId, type RootId, textOf, type TreeEvent, type TreeEventOf } from "@colloquy/schema";
import { type Origin, readOrigin } from "./origin.ts";
import type { Parent, Root } from "./tags.ts";

/** Something of a tree that is made public. */
export interface Publication {
  /** The tree's event. */
  readonly cause: number;
  readonly is: "reply" | "partial" | "busy" | "question";
  readonly agent: string;
  /** Empty for a question: what it says is looked up. */
  readonly content: string;
  readonly question?: QuestionId;
  readonly root: Root;
  readonly parent: Parent;
}

/** What an agent answers. */
export interface Trigger {
  readonly root: Root;
  readonly parent: Parent;
}

/** A tree's first event is its creation. */
const FIRST_MESSAGE_SEQ = 2;
/** A completion without words would leave the asker waiting. */
const NO_WORDS = "(no words)";

/** A main dialog as a conversation on Nostr: what is published follows from its log alone. */
export class TreeThread {
  /** The last event seen. */
  seq = 0;
  readonly #rootId: RootId;
  /** The `msgId` with which it was created: its first message has none of its own. */
  readonly #createdAs: string | undefined;
  /** Messages that came from Nostr, by `seq`. */
  readonly #messages = new Map<number, Trigger>();
  /** What open turns answer, by agent and turn. */
  readonly #turns = new Map<string, Trigger>();

  constructor(rootId: RootId, createdAs: string | undefined) {
    this.#rootId = rootId;
    this.#createdAs = createdAs;
  }

  /** The keys of those who wrote here. */
  get speakers(): readonly string[] {
    return [...new Set([...this.#messages.values()].map(({ parent }) => parent.pubkey))];
  }

  /** What an agent that works now answers. */
  answeredBy(agent: string): Trigger | undefined {
    return [...this.#turns].findLast(([key]) => key.startsWith(`${agent}/`))?.[1];
  }

  see({ seq, events }: Line<TreeEvent>): readonly Publication[] {
    const found = events.flatMap((event, at) => (seq + at <= this.seq ? [] : (this.#event(event, seq + at) ?? [])));
    this.seq = Math.max(this.seq, seq + events.length - 1);
    return found;
  }

  #event(event: TreeEvent, seq: number): Publication | undefined {
    // Also of side dialogs: people must see them.
    if (event.type === "question.asked" || event.type === "question.revised") return this.#question(event, seq);
    if (event.dialog !== (this.#rootId as string)) return undefined;
    switch (event.type) {
      case "dialog.copied":
        // What a copy's past says was published for the original.
        this.#turns.clear();
        this.#messages.clear();
        return undefined;
      case "message.added":
        this.#message(event, seq);
        return undefined;
      case "message.acknowledged": {
        const trigger = this.#messages.get(event.message);
        return trigger && { cause: seq, is: "busy", agent: event.agent, content: event.text, ...trigger };
      }
      case "turn.ended":
        this.#turns.delete(`${event.agent}/${event.turn}`);
        return undefined;
      case "step.ended":
        return this.#step(event, seq);
      default:
        return undefined;
    }
  }

  #message(event: TreeEventOf<"message.added">, seq: number): void {
    const pubkey = publicKeyIn(event.by);
    const origin = readOrigin(seq === FIRST_MESSAGE_SEQ ? this.#createdAs : event.msgId);
    if (!origin || pubkey === undefined) return;
    const trigger = this.#trigger(origin, pubkey);
    this.#messages.set(seq, trigger);
    for (const agent of event.opens ?? []) this.#turns.set(`${agent}/${seq}`, trigger);
  }

  #trigger({ event, root }: Origin, pubkey: string): Trigger {
    return { root: { id: this.#rootId, ...root }, parent: { ...event, pubkey } };
  }

  #question({ agent, question }: TreeEventOf<"question.asked" | "question.revised">, cause: number): Publication | undefined {
    const last = [...this.#messages.values()].at(-1);
    return last && { cause, is: "question", agent, content: "", question, ...last };
  }

  #step(event: TreeEventOf<"step.ended">, seq: number): Publication | undefined {
    const key = `${event.agent}/${event.turn}`;
    const trigger = this.#turns.get(key);
    if (!trigger) return undefined;
    const text = (event.whole ?? textOf(event.parts)).trim();
    if (event.ends) this.#turns.delete(key);
    else if (text === "") return undefined;
    return { cause: seq, is: event.ends ? "reply" : "partial", agent: event.agent, content: text || NO_WORDS, ...trigger };
  }
}
