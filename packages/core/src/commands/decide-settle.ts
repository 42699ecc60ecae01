import type { DialogCommand, TreeEvent } from "@colloquy/schema";
import { type Decision, refuse } from "../state/decision.ts";
import { Draft } from "../state/draft.ts";
import type { Tree } from "../state/tree.ts";

/** Records how a call with an unknown outcome ended, according to a person. The first decision counts. */
export function decideSettle(tree: Tree, command: Extract<DialogCommand, { type: "settle" }>, at: number): Decision<TreeEvent> {
  const { call, dialog, as, by, msgId } = command;
  const unsettled = tree.unsettled.find((one) => one.call === call && one.dialog === dialog);
  if (!unsettled)
    return refuse(
      "call_not_open",
      `There is nothing to settle: the outcome of call ${call} is known, or somebody has settled it. colloquy effects --unknown lists the others.`,
    );
  const note = command.note?.trim() ?? "";
  const { agent, tool } = unsettled;
  const draft = new Draft(tree, at, command);
  draft.add({
    type: "call.settled",
    ...draft.here(dialog),
    agent,
    call,
    tool,
    as,
    ...(unsettled.undo && { undo: true }),
    ...(note !== "" && { note }),
    by,
    ...(msgId !== undefined && { msgId }),
  });
  return draft.decision();
}
