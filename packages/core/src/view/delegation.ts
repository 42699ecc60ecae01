import type { AskId } from "@colloquy/schema";
import { unmarked } from "./markers.ts";
import { othersWords } from "./others-words.ts";

interface Item {
  readonly ask: AskId;
  readonly recipient: string;
  response: { readonly text: string; readonly seq: number } | undefined;
}

/** Collects the responses to one `delegate` call. Its text is part of the protocol, so it is the same in every language. */
export class Delegation {
  readonly turn: number;
  readonly #wait: "each" | "all";
  readonly #items: Item[] = [];
  /** The last response the agent was told about. */
  toldSeq = 0;

  constructor(turn: number, wait: "each" | "all") {
    this.turn = turn;
    this.#wait = wait;
  }

  add(ask: AskId, recipient: string): void {
    this.#items.push({ ask, recipient, response: undefined });
  }

  /** True once everyone has responded and the agent has been told. */
  get isTold(): boolean {
    return this.#items.every((item) => item.response !== undefined && item.response.seq <= this.toldSeq);
  }

  /** Returns true if the answer was for this call. */
  answer(ask: AskId, content: string, outcome: string | undefined, seq: number): boolean {
    const item = this.#items.find((one) => one.ask === ask);
    if (!item) return false;
    item.response = { text: outcome === undefined ? othersWords(unmarked(content).text) : `(${outcome}) ${othersWords(content)}`, seq };
    return true;
  }

  /** The status as of `seen`, if there are responses the agent was not told about. */
  news(seen: number): string | undefined {
    const names = namesOf(this.#items.map((item) => item.recipient));
    const known = this.#items.map((item) => (item.response && item.response.seq <= seen ? item.response : undefined));
    const latest = Math.max(0, ...known.map((response) => response?.seq ?? 0));
    if (latest <= this.toldSeq || (this.#wait === "all" && known.includes(undefined))) return undefined;
    this.toldSeq = latest;
    const received = known.flatMap((response, at) => (response ? [`- ${names[at]}: ${response.text}`] : []));
    const pending = known.flatMap((response, at) => (response ? [] : [`- ${names[at]}`]));
    const status = `Delegation responses received (${received.length}/${this.#items.length}):\n${received.join("\n")}`;
    return pending.length > 0 ? `${status}\n\nStill waiting for responses from:\n${pending.join("\n")}` : status;
  }
}

/** A recipient that occurs twice becomes `name#1`, `name#2`. */
function namesOf(recipients: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  return recipients.map((name) => {
    if (recipients.filter((one) => one === name).length === 1) return name;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return `${name}#${counts.get(name)}`;
  });
}
