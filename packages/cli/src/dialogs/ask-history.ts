import type { Line, TreeEvent } from "@colloquy/library";

type Opened = Extract<TreeEvent, { type: "ask.opened" }>;

/** An ask of a tree, open or closed. */
export interface PastAsk extends Pick<Opened, "ask" | "kind" | "agent" | "dialog" | "to" | "recipient" | "content"> {
  readonly askedAt: string;
  readonly answeredAt?: string;
  readonly outcome?: string;
}

/** Every ask of a tree in the order opened; folded state keeps only the open ones. */
export function askHistory(lines: readonly Line<TreeEvent>[]): readonly PastAsk[] {
  const asks = new Map<string, PastAsk>();
  for (const { at, events } of lines) {
    for (const event of events) {
      if (event.type === "ask.opened") {
        const { ask, kind, agent, dialog, to, recipient, content } = event;
        asks.set(ask, { ask, kind, agent, dialog, to, recipient, content, askedAt: at });
      }
      const known = event.type === "ask.answered" ? asks.get(event.ask) : undefined;
      if (event.type === "ask.answered" && known)
        asks.set(event.ask, { ...known, answeredAt: at, ...(event.outcome !== undefined && { outcome: event.outcome }) });
    }
  }
  return [...asks.values()];
}
