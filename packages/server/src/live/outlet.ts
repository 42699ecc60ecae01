import type { Format } from "./frame.ts";

/** Where frames go: a socket, or the body of an SSE answer. */
export interface Outlet {
  readonly format: Format;
  readonly isOpen: boolean;
  /** Bytes that are written and not yet taken by the other side. */
  readonly buffered: number;
  /** Whole frames, in order. */
  write(frames: Buffer): void;
  /** Resolves when little is buffered, or the other side is gone. */
  drained(): Promise<void>;
  /** It did not keep up: told to come back and resume from its cursor. */
  cut(): void;
}

/** What one reader may leave unread before it is cut. */
export const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
/** While old events are read for it, it gets more when less than this is unread. */
export const LOW_BUFFERED_BYTES = 256 * 1024;
