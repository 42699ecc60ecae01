import type { AskId, DialogId, TreeEventOf } from "@colloquy/schema";
import { changeDialog, changeTurn, complete, openTurn, waitsAgain } from "./change.ts";
import { headlineOf } from "../commands/title.ts";
import { type Ask, type Completed, type Dialog, sessionKey, type Tree } from "./tree.ts";

/** Makes a new session findable by its name. */
export function register(tree: Tree, event: TreeEventOf<"dialog.created">): Tree {
  const slug = event.side?.session;
  if (slug === undefined) return tree;
  const session = { dialog: event.dialog, agent: event.agent, slug, createdAt: tree.at, lastAccessed: tree.at };
  return { ...tree, registry: tree.registry.set(sessionKey(event.agent, slug), session) };
}

export function open(tree: Tree, event: TreeEventOf<"ask.opened">): Tree {
  const { ask: id, kind, call, to, recipient, about, wait, depth, deadline } = event;
  const from = { dialog: event.dialog, agent: event.agent, turn: event.turn };
  const ask: Ask = {
    id,
    kind,
    call,
    from,
    to,
    recipient,
    turn: event.queued ? undefined : tree.seq,
    about,
    wait,
    depth,
    headline: headlineOf(event.content),
    deadline,
    askedAt: tree.at,
    seq: tree.seq,
  };
  const deadlines = deadline === undefined ? tree.deadlines : tree.deadlines.set(id, deadline);
  const asked = changeTurn({ ...tree, asks: tree.asks.set(id, ask), deadlines }, from, (turn) => ({
    calls: turn.calls.filter((one) => one.id !== call),
    urgentSeq: wait === "each" ? turn.urgentSeq : waitsAgain(turn),
    ...(wait === "each" ? { wakingAsks: [...turn.wakingAsks, id] } : { asks: [...turn.asks, id] }),
  }));
  const reached = touchSession(asked, to);
  if (kind === "tellaskBack") return openTurn(reached, { dialog: to, agent: recipient }, { cause: { kind: "askBack", ask: id }, depth });
  if (event.queued) return changeDialog(reached, to, ({ waiting }) => ({ waiting: [...waiting, id] }));
  return assign(reached, to, id);
}

/** Takes the session's next assignment from the queue and opens a turn for it. */
export function begin(tree: Tree, event: TreeEventOf<"assignment.begun">): Tree {
  const ask = tree.asks.get(event.ask);
  if (!ask) return tree;
  const begun = changeDialog({ ...tree, asks: tree.asks.set(ask.id, { ...ask, turn: tree.seq }) }, event.dialog, ({ waiting }) => ({
    waiting: waiting.filter((id) => id !== ask.id),
  }));
  return assign(begun, event.dialog, ask.id);
}

function assign(tree: Tree, to: DialogId, id: AskId): Tree {
  const ask = tree.asks.get(id);
  const dialog = tree.dialogs.get(to);
  if (!ask || !dialog) return tree;
  const taken = changeDialog(tree, to, ({ status, messages, firstRequest }) => ({
    firstRequest: firstRequest ?? { seq: ask.seq, text: ask.headline },
    assignment: id,
    lastAssignment: ask,
    messages: messages + 1,
    // A session that was completed with its tree works again.
    status: status === "completed" ? "running" : status,
  }));
  return openTurn(taken, { dialog: to, agent: dialog.agent }, { cause: { kind: "assignment", ask: id }, depth: ask.depth });
}

/** Gives the asker its answer and frees the dialog that served it. */
export function answer(tree: Tree, event: TreeEventOf<"ask.answered">): Tree {
  const ask = tree.asks.get(event.ask);
  if (!ask) return tree;
  const without = (ids: readonly AskId[]) => ids.filter((id) => id !== ask.id);
  const answered = changeTurn({ ...tree, asks: tree.asks.delete(ask.id), deadlines: tree.deadlines.delete(ask.id) }, ask.from, (turn) => ({
    asks: without(turn.asks),
    wakingAsks: without(turn.wakingAsks),
    completed: ask.kind === "delegate" ? [...turn.completed, completedBy(ask, tree)] : turn.completed,
    newestSeq: tree.seq,
  }));
  if (ask.kind === "tellaskBack") return answered;
  const freed = changeDialog(answered, ask.to, ({ assignment, waiting, answered: told }) => ({
    assignment: assignment === ask.id ? undefined : assignment,
    answered: assignment === ask.id ? [] : told,
    waiting: without(waiting),
    response: { to: ask.from.dialog, ask: ask.id, seq: tree.seq, at: tree.at },
  }));
  return complete(freed, ask.to);
}

const completedBy = ({ call, to, recipient }: Ask, { seq, at }: Tree): Completed => ({ call, dialog: to, recipient, seq, at });

/** A dead dialog is unreachable, so its name becomes free. */
export const bury = (tree: Tree, event: TreeEventOf<"dialog.died">): Tree => unregistered(tree, event.dialog, { isDead: true });

/** Its asker ended it, so its name becomes free. */
export const end = (tree: Tree, event: TreeEventOf<"dialog.ended">): Tree => unregistered(tree, event.dialog, { isEnded: true });

function unregistered(tree: Tree, id: DialogId, how: Partial<Dialog>): Tree {
  const dialog = tree.dialogs.get(id);
  const slug = dialog?.side?.session;
  const over = changeDialog(tree, id, () => ({
    ...how,
    status: "completed",
    stopped: undefined,
    assignment: undefined,
    waiting: [],
    answered: [],
  }));
  if (!dialog || slug === undefined) return over;
  const key = sessionKey(dialog.agent, slug);
  // Another dialog may have taken the name.
  return over.registry.get(key)?.dialog === id ? { ...over, registry: over.registry.delete(key) } : over;
}

function touchSession(tree: Tree, to: DialogId): Tree {
  const dialog = tree.dialogs.get(to);
  const slug = dialog?.side?.session;
  if (!dialog || slug === undefined) return tree;
  const key = sessionKey(dialog.agent, slug);
  const session = tree.registry.get(key);
  return session ? { ...tree, registry: tree.registry.set(key, { ...session, lastAccessed: tree.at }) } : tree;
}
