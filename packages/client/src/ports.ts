/** The part of a WebSocket used here, as in browsers and in Node. */
export interface Socket {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
  onerror: ((event: never) => void) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

export type SocketMaker = new (url: string, protocols: string[]) => Socket;

/** The part of `fetch` used here. */
export type Fetch = (
  url: string,
  init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string | Blob; readonly signal?: AbortSignal },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
  readonly body?: ReadableStream<Uint8Array> | null;
}>;

/** Time and randomness, so that tests can replace both. */
export interface Clock {
  /** In milliseconds. */
  nowMs(): number;
  /** Calls once, later. Returns a function that cancels it. */
  after(ms: number, act: () => void): () => void;
  /** From 0 to 1. */
  chance(): number;
}

export const realClock: Clock = {
  nowMs: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  chance: () => Math.random(),
};
