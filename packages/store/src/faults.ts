import { Fault, type StreamId } from "@colloquy/schema";

export const conflict = (stream: StreamId, expected: number, head: number): Fault =>
  new Fault("log_conflict", "now", `${stream} is at ${head}, not at ${expected}: another writer was first`);

export const closed = (): Fault => new Fault("log_unavailable", "never", "The store is closed.");
