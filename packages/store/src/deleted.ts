import { type AnyEvent, PROJECT_STREAM, type RootId, type StreamId } from "@colloquy/schema";

/** The trees that these events delete: a store removes them with the commit. */
export const deletedIn = (stream: StreamId, events: readonly AnyEvent[]): readonly RootId[] =>
  stream === PROJECT_STREAM ? events.flatMap((event) => (event.type === "tree.deleted" ? [event.rootId] : [])) : [];
