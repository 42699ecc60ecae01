import type { AgentId, DialogId, TreeEvent, TreeEventOf } from "@colloquy/schema";
import { z } from "zod";
import { accept, type Decision } from "../state/decision.ts";
import { breakOff, doingOf, readWhen } from "../commands/decide-send.ts";
import { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";
import { joinableTurn } from "../commands/open-work.ts";
import { dialogOf, type Tree } from "../state/tree.ts";

/** Identifies a message and one of its recipients. */
interface Written {
  readonly dialog: DialogId;
  readonly agent: AgentId;
  readonly message: number;
}

type Told = Pick<TreeEventOf<"message.acknowledged">, "text" | "stops" | "model" | "usage" | "cost">;

export interface BusyReply extends Told {
  /** Shown to the busy agent directly before the message. */
  readonly note?: string | undefined;
}

const Fields = z.object({
  message_for_user: z.string().trim().min(1),
  system_message_for_active_ral: z.string().trim().optional(),
  stop_current_step: z.boolean().optional(),
});

/** Reads the three fields from the JSON object in a model's text; undefined if there is none. */
export function readBusyReply(text: string): BusyReply | undefined {
  const [begin, end] = [text.indexOf("{"), text.lastIndexOf("}")];
  const parsed = begin < 0 || end < begin ? undefined : Fields.safeParse(jsonOf(text.slice(begin, end + 1)));
  if (!parsed?.success) return undefined;
  const { message_for_user, system_message_for_active_ral: note, stop_current_step: stops } = parsed.data;
  return { text: message_for_user, ...(note && { note }), ...(stops && { stops }) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Text that is not JSON has none of the fields.
    return undefined;
  }
}

/** What the sender is told if no model writes a reply. */
export function acknowledgement(
  tree: Tree,
  at: Written,
  how: { now?: boolean | undefined; interrupt?: boolean | undefined },
  rules: Rules,
): string {
  const dialog = dialogOf(tree, at.dialog);
  if (!dialog) return "";
  const addressee = { dialog, agent: at.agent, turn: joinableTurn(tree, dialog, at.agent) };
  const doing = doingOf(tree, addressee, rules);
  return rules.texts.busy(rules.team.nameOf(at.agent), doing, readWhen(tree, addressee, how, doing));
}

/** The message itself is never changed by the model's reply. The note is dropped if the message has been read. */
export function decideBusyReply(tree: Tree, at: Written, { note, ...told }: BusyReply, rules: Rules): Decision<TreeEvent> {
  const dialog = dialogOf(tree, at.dialog);
  if (!dialog) return accept(tree.seq, []);
  const draft = new Draft(tree, rules.at);
  const here = { ...draft.here(at.dialog), agent: at.agent };
  draft.add({ type: "message.acknowledged", ...here, message: at.message, ...told });
  const turn = joinableTurn(tree, dialog, at.agent);
  if (turn?.queue.includes(at.message)) {
    if (note !== undefined) draft.add({ type: "note.added", ...here, turn: turn.id, code: "busy", text: note, before: at.message });
    if (told.stops) breakOff(draft, { dialog: at.dialog, agent: at.agent, turn: turn.id }, rules);
  }
  return draft.decision();
}
