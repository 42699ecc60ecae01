import type { Format } from "./frame.ts";

/** Where frames go: a socket, or the body of an SSE response. */
export interface Outlet {
  readonly format: Format;
  readonly isOpen: boolean;
  /** Another node, which gets only what begins here. */
  readonly isNode?: boolean;
  /** Bytes written but not yet sent. */
  readonly buffered: number;
  /** Whole frames, in order. */
  write(frames: Buffer): void;
  /** Resolves when little is buffered, or the client has disconnected. */
  drained(): Promise<void>;
  /** Disconnects a reader who is too slow and tells it to resume from its cursor. */
  cut(): void;
}

/** Unread bytes at which a reader is disconnected. */
export const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
/** During replay, a reader gets more once fewer bytes than this are unread. */
export const LOW_BUFFERED_BYTES = 256 * 1024;
