import { acknowledgement, type BusyReply, decideBusyReply, readBusyReply, type Roster, runOf, type Tree } from "@colloquy/core";
import type { AgentId, TreeEvent, TreeEventOf } from "@colloquy/schema";
import { askAside } from "./aside.ts";
import type { AsideContext } from "./asides.ts";
import type { LiveTree } from "../engine/live-tree.ts";

/** Does any recipient have a model for that? */
export const mayReplyForBusy = (events: readonly TreeEvent[], team: Roster): boolean =>
  events.some((event) => event.type === "message.added" && event.to.some((agent) => team.hasBusyModel(agent)));

/** If a recipient is busy and has a model for that, the model answers the sender; otherwise the template does. */
export async function replyForBusy(context: AsideContext, tree: LiveTree, events: readonly TreeEvent[], message: number): Promise<void> {
  const event = events.find((one) => one.type === "message.added");
  if (!event) return;
  const busy = event.to.filter((agent) => context.rulebook.roster.hasBusyModel(agent) && isBusy(tree.state, event, agent, message));
  await Promise.all(busy.map((agent) => reply(context, tree, { event, agent, message })));
}

const isBusy = (state: Tree, { dialog }: TreeEventOf<"message.added">, agent: AgentId, message: number): boolean =>
  runOf(state, dialog, agent)?.turns.some((turn) => turn.id !== message) ?? false;

/** A message that arrived while this agent was busy. */
interface Unread {
  readonly event: TreeEventOf<"message.added">;
  readonly agent: AgentId;
  /** Its `seq`. */
  readonly message: number;
}

async function reply(context: AsideContext, tree: LiveTree, { event, agent, message }: Unread): Promise<void> {
  const { rulebook, writer } = context;
  const at = { dialog: event.dialog, agent, message };
  const template = acknowledgement(tree.state, at, event, rulebook.rules(tree));
  const told = await askForReply(context, tree, { event, agent }, template);
  await writer.record(tree.rootId, (state) => decideBusyReply(state, at, told, rulebook.rules()));
}

/** Falls back to the template if a limit question is open, the day's budget is spent, the model fails, or its reply can't be parsed. */
async function askForReply(
  context: AsideContext,
  tree: LiveTree,
  { event, agent }: Omit<Unread, "message">,
  template: string,
): Promise<BusyReply> {
  const { deps, rulebook, dayGate } = context;
  try {
    const runner = deps.team().member(agent)?.busyRunner?.();
    if (!runner || tree.state.limitQuestions.length > 0 || dayGate.spent()) return { text: template };
    const system = rulebook.texts().replyForBusy(rulebook.roster.nameOf(agent));
    const question = `${template}\n\n[${event.by}]: ${event.content}`;
    const { text, model, ...spent } = await askAside(context, { runner, dialog: event.dialog, agent, system, text: question });
    const read = readBusyReply(text);
    return read ? { ...read, model, ...spent } : { text: template, ...spent };
  } catch (error) {
    deps.report(error, `busy reply of ${agent}`);
    return { text: template };
  }
}
