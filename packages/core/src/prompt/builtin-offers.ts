import { builtinInputs, type BuiltinTool } from "@colloquy/schema";
import { z } from "zod";
import type { Dialog, Turn } from "../state/tree.ts";

export interface BuiltinOffer {
  readonly name: string;
  readonly description: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const descriptions: Readonly<Record<BuiltinTool, string>> = {
  tellaskBack:
    "Asks the one who gave you this assignment, and waits for the answer. Use it when context is missing or a goal cannot be met as it is.",
  tellask: "Asks another agent in a session that remembers, by its name; continues it if it is known. Waits for the answer.",
  tellaskSessionless: "Asks another agent once, in a new side dialog. Waits for the answer.",
  freshBootsReasoning: "Lets a fresh mind of your own, without tools and history, think about what you write. Waits for the answer.",
  delegate: "Gives work to several agents at once. You are told of each response as it comes, or of all together (wait: all).",
  askHuman: "Asks a person and waits, for weeks if it must. The reader sees only what you write here.",
  ask: "The same as askHuman.",
  cancel_asks:
    "Calls off what you wait for: the given calls, or all open asks, questions and approvals of this turn. When somebody asks you back, also what you were waiting for meanwhile.",
  clear_mind:
    "Starts a new course: what was said is not shown any more; reminders, open asks and the Taskdoc stay. Write down what matters first.",
  add_reminder: "Keeps a note for yourself that stays when your mind is cleared.",
  update_reminder: "Replaces a reminder by its number.",
  delete_reminder: "Removes a reminder by its number.",
  set_phase:
    "Says what this dialog is at from now on: chat, brainstorm, plan, execute, verification, chores or reflection. The same phase with a summary is a hand-off.",
  mark_done: "Marks this dialog as done. Refused while anything else in it is open.",
  change_mind:
    "Replaces one section of the Taskdoc (goals, constraints or progress), which the whole team reads. Refused when it changed since you saw it.",
  remember: "Keeps a Markdown file in the team's memory or your own, for all dialogs to come. Replaces what is there.",
  forget: "Removes a file from memory.",
  recall: "Reads a file of the memory in full.",
  create_task: "Creates a task, which somebody in the team is given. Not while a question about what it comes from is open.",
  update_task: "Changes a task's title, description or dependencies, or closes it.",
  create_plan: "Creates the tasks of a plan at once, all or none, each with what it waits for.",
  update_prd: "Replaces one section of the requirements, prd/<sectionKey>.md. Refused when it changed since you saw it.",
  record_decision: "Records an architecture decision: what was decided and why, and what else was considered.",
  read_result: "Reads on in a result that was cut because it is long: the call that the cut names, from that character on.",
  end_session:
    "Ends a session (targetAgentId, sessionSlug) or another side dialog (dialogId) that you asked and no longer need: its work is called off, and the session's name is free. Refused while somebody else waits for it.",
  revise_question: "Changes the question that a person has asked back about.",
  withdraw_question: "Takes the question back.",
};

const TASKS: readonly BuiltinTool[] = ["create_task", "update_task", "create_plan", "update_prd"];
const IN_THREAD: readonly BuiltinTool[] = ["revise_question", "withdraw_question"];
const ALWAYS: readonly BuiltinTool[] = [
  "tellask",
  "tellaskSessionless",
  "delegate",
  "askHuman",
  "cancel_asks",
  "add_reminder",
  "update_reminder",
  "delete_reminder",
  "remember",
  "recall",
  "forget",
  "record_decision",
  "read_result",
  "end_session",
];

/** The built-in tools that an agent has in this turn. The order is fixed, so that providers can cache it. */
export function builtinOffers(
  dialog: Dialog,
  turn: Turn,
  agent: string,
  hasFreshBoots: boolean,
  hasTasks = false,
): readonly BuiltinOffer[] {
  if (dialog.side?.fresh) return [];
  if (turn.cause.kind === "thread") return IN_THREAD.map(offer);
  const isOwn = dialog.agent === agent;
  const own: readonly BuiltinTool[] = isOwn
    ? [...(dialog.side ? (["tellaskBack"] as const) : (["change_mind", "mark_done"] as const)), "clear_mind", "set_phase"]
    : [];
  return [...ALWAYS, ...(hasFreshBoots ? (["freshBootsReasoning"] as const) : []), ...own, ...(hasTasks ? TASKS : [])].map(offer);
}

const offers = new Map<BuiltinTool, BuiltinOffer>();

/** Built on first use: the schemas never change. */
function offer(name: BuiltinTool): BuiltinOffer {
  const known = offers.get(name);
  if (known) return known;
  const input = z.toJSONSchema(builtinInputs[name], { io: "input", unrepresentable: "any" }) as Record<string, unknown>;
  const made = { name, description: descriptions[name], input };
  offers.set(name, made);
  return made;
}
