import { z } from "zod";

/** A dialog's state as people see it, in one word. */
export const DialogState = z.enum([
  /** A step is in flight or may start. */
  "working",
  /** It waits for a person. */
  "asking",
  /** It waits for other agents. */
  "waiting",
  "stopped",
  "done",
  "archived",
  /** A side dialog that a person gave up. */
  "dead",
  /** Nothing is pending. */
  "idle",
  /** It should be working, but no process drives it. */
  "interrupted",
]);
export type DialogState = z.infer<typeof DialogState>;

/** The states that follow from the log alone. Only a live process knows whether the dialog is being driven. */
export const RecordedState = DialogState.exclude(["interrupted"]);
export type RecordedState = z.infer<typeof RecordedState>;

/** The states of a main dialog, which is never dead. */
export const MainState = RecordedState.exclude(["dead"]);
