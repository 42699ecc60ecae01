import { acknowledgement, type BusyReply, decideBusyReply, readBusyReply, type Roster, runOf, type Tree } from "@colloquy/core";
import type { AgentId, TreeEvent, TreeEventOf } from "@colloquy/schema";
import { askAside } from "./aside.ts";
import type { Engine } from "../engine/engine.ts";
import type { LiveTree } from "../engine/live-tree.ts";

/** Is anybody addressed who has a model for that? */
export const mayReplyForBusy = (events: readonly TreeEvent[], team: Roster): boolean =>
  events.some((event) => event.type === "message.added" && event.to.some((agent) => team.hasBusyModel(agent)));

/** Where an agent that was written to is busy and has a model for that, the model answers the sender; else the template does. */
export async function replyForBusy(engine: Engine, tree: LiveTree, events: readonly TreeEvent[], message: number): Promise<void> {
  const event = events.find((one) => one.type === "message.added");
  if (!event) return;
  const busy = event.to.filter((agent) => engine.rulebook.rules().team.hasBusyModel(agent) && isBusy(tree.state, event, agent, message));
  await Promise.all(busy.map((agent) => reply(engine, tree, event, agent, message)));
}

const isBusy = (state: Tree, { dialog }: TreeEventOf<"message.added">, agent: AgentId, message: number): boolean =>
  runOf(state, dialog, agent)?.turns.some((turn) => turn.id !== message) ?? false;

async function reply(engine: Engine, tree: LiveTree, event: TreeEventOf<"message.added">, agent: AgentId, message: number): Promise<void> {
  const at = { dialog: event.dialog, agent, message };
  const template = acknowledgement(tree.state, at, event, engine.rulebook.rules(tree));
  const told = await askForReply(engine, tree, event, agent, template);
  await engine.writer.record(tree.rootId, (state) => decideBusyReply(state, at, told, engine.rulebook.rules()));
}

/** The template where it cannot be had otherwise: a limit is asked about, the model fails, or what it says cannot be read. */
async function askForReply(
  engine: Engine,
  tree: LiveTree,
  event: TreeEventOf<"message.added">,
  agent: AgentId,
  template: string,
): Promise<BusyReply> {
  const { texts, team } = engine.rulebook.rules();
  try {
    const runner = engine.deps.team().member(agent)?.busyRunner?.();
    if (!runner || tree.state.limitQuestions.length > 0 || engine.dayGate.spent()) return { text: template };
    const question = `${template}\n\n[${event.by}]: ${event.content}`;
    const at = { dialog: event.dialog, agent };
    const { text, model, ...spent } = await askAside(engine, runner, at, texts.replyForBusy(team.nameOf(agent)), question);
    const read = readBusyReply(text);
    return read ? { ...read, model, ...spent } : { text: template, ...spent };
  } catch (error) {
    engine.deps.report(error, `busy reply of ${agent}`);
    return { text: template };
  }
}
