import { effectLine, type Part, type Recorded } from "@colloquy/schema";
import type { At, CallRow, UndoState } from "./rows.ts";
import type { Show } from "./transcript-draft.ts";

type CallPart = Extract<Part, { call: string }>;
type Of<Type extends Recorded["event"]["type"]> = Extract<Recorded["event"], { type: Type }>;

/** A call as its step asked for it. */
export const callRow = ({ call, tool, input }: CallPart, agent: string, place: At): CallRow => ({
  ...place,
  kind: "call",
  agent,
  call,
  tool,
  input,
  output: undefined,
  outcome: undefined,
  ms: undefined,
  images: [],
  effects: [],
  held: undefined,
  isOnLayer: false,
  undoable: false,
  undo: undefined,
});

export const showRan: Show<Of<"call.ran">> = (draft, { call, effects: { files, git, reachesOut = [] } }) =>
  draft.change(`c${call}`, "call", () => ({ isOnLayer: true, effects: [...files.map(effectLine), ...git, ...reachesOut] }));

export const showEnded: Show<Of<"call.ended">> = (draft, { call, output, outcome, ms, files = [], undoable = false }) => {
  const images = files.flatMap(({ name, mediaType }) => (mediaType.startsWith("image/") ? [name] : []));
  draft.change(`c${call}`, "call", () => ({ output, outcome, ms, images, undoable, held: undefined }));
};

export const showHeld: Show<Of<"call.held">> = (draft, { call, question }) => draft.change(`c${call}`, "call", () => ({ held: question }));

export const showReleased: Show<Of<"call.released">> = (draft, { call }) => draft.change(`c${call}`, "call", () => ({ held: undefined }));

export const showUndoAsked: Show<Of<"call.undo_asked">> = (draft, { call }) =>
  draft.change(`c${call}`, "call", () => ({ undo: { kind: "asked" } }));

export const showUndone: Show<Of<"call.undone">> = (draft, event, here) => {
  draft.change(`c${event.call}`, "call", () => ({ undo: undoStateOf(event) }));
  if (event.refused === undefined) draft.add({ ...here, kind: "line", event });
};

const undoStateOf = ({ refused, conflicts = [], by, output }: Of<"call.undone">): UndoState =>
  refused === undefined ? { kind: "undone", by, output } : { kind: "refused", why: refused, conflicts, output: output ?? "" };
