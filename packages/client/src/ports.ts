/** As much of a WebSocket as is used here: the global one of browsers and of Node has it. */
export interface Socket {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
  onerror: ((event: never) => void) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

export type SocketMaker = new (url: string, protocols: string[]) => Socket;

/** As much of `fetch` as is used here. */
export type Fetch = (
  url: string,
  init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string; readonly signal?: AbortSignal },
) => Promise<{ readonly status: number; readonly headers: { get(name: string): string | null }; text(): Promise<string> }>;

/** Time and chance, so that tests can do without both. */
export interface Clock {
  /** Returns the way to call it off. */
  after(ms: number, act: () => void): () => void;
  /** From 0 to 1. */
  chance(): number;
}

export const realClock: Clock = {
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  chance: () => Math.random(),
};
